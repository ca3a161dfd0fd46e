import type { MongoJobRepository } from "@agendajs/mongo-backend";
import { type JobParameters, toJobId } from "agenda";
import { mongo } from "mongoose";
import { z } from "zod";

/** What is read of a job that is to run once; it is the part that such a job has. */
const jobSchema = z.object({
  _id: z.unknown().transform((id) => toJobId(String(id))),
  name: z.string(),
  data: z.unknown(),
  type: z.enum(["normal", "single"]),
  priority: z.number(),
  lockedAt: z.date(),
  lastModifiedBy: z.string(),
  failCount: z
    .number()
    .nullish()
    .transform((count) => count ?? undefined),
});

type JobCollection = MongoJobRepository["collection"];
type JobFilter = NonNullable<Parameters<JobCollection["find"]>[0]>;

const unlockedJobSchema = z.looseObject({ lockedAt: z.null() });

/** Due at once by this machine's clock: Agenda would wait for the clock of the machine that asked for it. */
const claimedJobSchema = jobSchema.transform((job) => ({ ...job, nextRunAt: job.lockedAt }));

/** Reads what was just written, though it may not be on the disk of most members yet. */
export const LATEST = { readConcern: { level: "local" } } as const;

const isReadyNow = { lockedAt: null, nextRunAt: { $ne: null }, disabled: { $ne: true } };

/** First those of the highest priority; of the same, those that were to run first. */
const IN_ORDER = { priority: -1, nextRunAt: 1 } as const;

/**
 * Locks jobs that are to run once for a worker, in their order. When they were to run does not matter, so that clocks
 * that disagree hold nothing up.
 * @param options.limit how many at most
 * @param options.lostBefore jobs locked before this instant have lost their worker and go first; null: do not look
 */
export async function claimJobs(
  jobs: JobCollection,
  options: { name: string; limit: number; worker: string; lostBefore: Date | null },
): Promise<JobParameters[]> {
  const { name, limit, worker, lostBefore } = options;
  const lost =
    lostBefore && (await lockOne(jobs, { name, lockedAt: { $lte: lostBefore } }, worker));
  if (lost) return [lost];
  const isReady = { name, ...isReadyNow };
  if (limit > 1) return lockSeveral(jobs, isReady, { limit, worker });
  const first = await lockOne(jobs, isReady, worker);
  return first ? [first] : [];
}

/**
 * Jobs as a worker was told of them and will have them when it has locked them; in the order of their priority.
 * @param options.except ids of jobs that the worker has already, whoever told it of them
 */
export function claimToldJobs(
  told: readonly unknown[],
  { worker, except }: { worker: string; except: ReadonlySet<string> },
): JobParameters[] {
  const lock = { lockedAt: new Date(), lastModifiedBy: worker };
  return told
    .map((job) => claimedJobSchema.parse({ ...unlockedJobSchema.parse(job), ...lock }))
    .filter(({ _id }) => !except.has(_id))
    .sort((a, b) => b.priority - a.priority);
}

/** Locks jobs that nobody else has taken. */
export function lockJobs(
  jobs: JobCollection,
  { ids, worker }: { ids: readonly string[]; worker: string },
): Promise<unknown> {
  const wanted = { _id: { $in: ids.map((id) => new mongo.ObjectId(id)) }, ...isReadyNow };
  return jobs.updateMany(wanted, { $set: { lockedAt: new Date(), lastModifiedBy: worker } });
}

async function lockOne(jobs: JobCollection, filter: JobFilter, worker: string) {
  const lock = { $set: { lockedAt: new Date(), lastModifiedBy: worker } };
  const job = await jobs.findOneAndUpdate(filter, lock, {
    sort: IN_ORDER,
    returnDocument: "after",
  });
  return job && claimedJobSchema.parse(job);
}

/** Three commands, however many there are; what another worker takes meanwhile is left to it. */
async function lockSeveral(
  jobs: JobCollection,
  isReady: JobFilter,
  { limit, worker }: { limit: number; worker: string },
): Promise<JobParameters[]> {
  const found = await jobs
    .find(isReady, LATEST)
    .sort(IN_ORDER)
    .limit(limit)
    .project({ _id: 1 })
    .toArray();
  if (found.length === 0) return [];
  const ids = { _id: { $in: found.map(({ _id }) => _id) } };
  const lock = { lockedAt: new Date(), lastModifiedBy: worker };
  await jobs.updateMany({ ...isReady, ...ids }, { $set: lock });
  const mine = await jobs
    .find({ ...ids, ...lock }, LATEST)
    .sort(IN_ORDER)
    .toArray();
  return mine.map((job) => claimedJobSchema.parse(job));
}
