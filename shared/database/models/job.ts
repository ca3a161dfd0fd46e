import type { Connection, Types } from "mongoose";
import { modelOf, recordSchema } from "./record-schema.ts";

/** Agenda's collection, which has the work items. */
export const JOBS_COLLECTION = "agendaJobs";

/** A work item, as Agenda stores a job. */
export interface JobRecord {
  _id: Types.ObjectId;
  name: string;
  type: "normal";
  data: Record<string, unknown>;
  /** Jobs of the highest priority run first. */
  priority: number;
  /** When it is due; null if the job is not to run. */
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

export const jobModels = (connection: Connection) => ({
  jobs: modelOf(connection, jobSchema),
});
