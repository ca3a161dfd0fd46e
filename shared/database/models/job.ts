import type { Connection, Types } from "mongoose";
import { z } from "zod";
import { modelOf, recordSchema } from "./record-schema.ts";

/** Agenda's collection, which also holds its recurring jobs. */
export const JOBS_COLLECTION = "agendaJobs";

export const GENERATE_SIGNAL_JOB = "generate-signal";

/** The job of an analysis, with the same id, as Agenda stores it. */
export interface JobRecord {
  _id: Types.ObjectId;
  name: string;
  type: "normal";
  data: { analysisId: string; userId?: string; requestId?: string };
  /** Jobs of the highest priority run first. */
  priority: number;
  /** Null if the job is not to run. */
  nextRunAt: Date | null;
  /** When a worker locked it or renewed its lock, by the clock of the database. */
  lockedAt: Date | null;
  /** Id of the worker that locked it. */
  lastModifiedBy: string | null;
  /** Paused by an administrator. */
  disabled: boolean | null;
  lastRunAt: Date | null;
  lastFinishedAt: Date | null;
  failedAt: Date | null;
  failCount: number | null;
  failReason: string | null;
  repeatInterval: string | null;
  repeatAt: string | null;
  repeatTimezone: string | null;
  progress: number | null;
}

const jobSchema = recordSchema<JobRecord>(JOBS_COLLECTION);
jobSchema.index({ name: 1, lockedAt: 1, priority: -1, nextRunAt: 1 }, { name: "claimNextJob" });

/** Data of a job: the user who asked first orders the queue, and the id of their request is for the logs. */
export const analysisJobDataSchema = z.object({
  analysisId: z.string().regex(/^[0-9a-f]{24}$/),
  userId: z
    .string()
    .regex(/^[0-9a-f]{24}$/)
    .optional(),
  requestId: z.string().optional(),
});

export const jobModels = (connection: Connection) => ({
  jobs: modelOf(connection, jobSchema),
});
