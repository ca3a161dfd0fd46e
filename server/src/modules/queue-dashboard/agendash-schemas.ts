import type { JobState, JobsOverview } from "agenda";
import { z } from "zod";

const JOB_STATES = [
  "running",
  "scheduled",
  "queued",
  "completed",
  "failed",
  "repeating",
  "paused",
] as const satisfies readonly JobState[];

const PAGE_SIZE = { usual: 50, most: 200 } as const;

/** What Agendash's pages ask for, by the names that they use. */
export const jobQuerySchema = z.object({
  job: z.string().max(100).optional(),
  state: z.enum(JOB_STATES).optional(),
  q: z.string().max(100).optional(),
  skip: z.coerce.number().int().min(0).max(1_000_000).default(0),
  limit: z.coerce.number().int().min(1).max(PAGE_SIZE.most).default(PAGE_SIZE.usual),
});
export type JobQuery = z.infer<typeof jobQuerySchema>;

const objectIdSchema = z.string().regex(/^[0-9a-f]{24}$/);

/** Body of Agendash's actions. */
export const jobSelectionSchema = z.object({
  jobIds: z.array(objectIdSchema).min(1).max(PAGE_SIZE.most),
});

/** One job as far as it may be seen: of its data nothing but a signal's id, whatever else may stand there. */
const jobSchema = z.object({
  _id: z.string(),
  name: z.string(),
  data: z.object({ analysisId: objectIdSchema.optional() }).nullable().catch(null),
  priority: z.number().nullish(),
  nextRunAt: z.iso.datetime().nullish(),
  lastRunAt: z.iso.datetime().nullish(),
  lastFinishedAt: z.iso.datetime().nullish(),
  lockedAt: z.iso.datetime().nullish(),
  failedAt: z.iso.datetime().nullish(),
  failCount: z.number().nullish(),
  failReason: z.string().nullish(),
  repeatInterval: z.union([z.string(), z.number()]).nullish(),
  repeatTimezone: z.string().nullish(),
  disabled: z.boolean().nullish(),
  progress: z.number().nullish(),
});

const counts = Object.fromEntries(
  ["total", ...JOB_STATES].map((state) => [state, z.number().int()]),
);
const flags = Object.fromEntries(JOB_STATES.map((state) => [state, z.boolean()]));

/** One page of jobs, in the shape that Agendash's pages read. */
export const queuePageSchema = z.object({
  overview: z.array(z.object({ displayName: z.string(), ...counts })),
  jobs: z.array(z.object({ job: jobSchema, ...flags })),
  total: z.number().int(),
  totalPages: z.number().int(),
});
export type QueuePage = z.infer<typeof queuePageSchema>;

/** How many jobs were changed, by Agendash's name for it. */
export const jobsChangedSchema = z.record(z.string(), z.union([z.number(), z.boolean()]));
export type JobsChanged = z.infer<typeof jobsChangedSchema>;

/** What Agendash takes for figures of its own process; here they are those of all workers. */
export const queueFiguresSchema = z.object({
  version: z.string(),
  queueName: z.string(),
  totalQueueSizeDB: z.number().int(),
  config: z.object({
    totalLockLimit: z.number().int(),
    maxConcurrency: z.number().int(),
    processEvery: z.string(),
  }),
  backend: z.object({ name: z.string(), hasNotificationChannel: z.boolean() }),
  internal: z.object({ localQueueProcessing: z.number().int() }),
  jobStatus: z.record(
    z.string(),
    z.object({ running: z.number().int(), locked: z.number().int() }),
  ),
  queuedJobs: z.number().int(),
  runningJobs: z.number().int(),
  lockedJobs: z.number().int(),
});
export type QueueFigures = z.infer<typeof queueFiguresSchema>;

/** The figures of a queue with these jobs. A job counts as running as long as a worker has locked it. */
export function sumUp(options: {
  overviews: readonly JobsOverview[];
  version: string;
  /** Jobs whose time has come. */
  due: number;
  /** Analyses that the living workers can make at once. */
  capacity: number;
  pollEveryMs: number;
}): QueueFigures {
  const { overviews, version, due, capacity, pollEveryMs } = options;
  const running = sum(overviews.map((job) => job.running));
  return {
    version,
    queueName: "all workers",
    totalQueueSizeDB: due,
    config: {
      totalLockLimit: capacity,
      maxConcurrency: capacity,
      processEvery: `${pollEveryMs / 1_000} seconds`,
    },
    backend: { name: "MongoDB", hasNotificationChannel: true },
    internal: { localQueueProcessing: 0 },
    jobStatus: Object.fromEntries(
      overviews.map((job) => [job.name, { running: job.running, locked: job.running }]),
    ),
    queuedJobs: sum(overviews.map((job) => job.queued)),
    runningJobs: running,
    lockedJobs: running,
  };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);
