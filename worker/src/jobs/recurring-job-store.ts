import { createHash } from "node:crypto";
import { MongoJobRepository } from "@agendajs/mongo-backend";
import { type Database, nativeDb } from "@shared/database/database.ts";
import { JOBS_COLLECTION } from "@shared/database/models/job.ts";
import { type JobParameters, toJobId } from "agenda";
import { Types } from "mongoose";

/** Agenda compares these with the clock of this machine: it runs the job at once, and its lock never expires. */
const AT_ONCE = { nextRunAt: new Date(0), lockedAt: new Date(8.64e15) };

interface StoreOptions {
  database: Database;
  workerId: string;
  /** When a job runs next, after it ran at `lastRunAt`; null if it does not repeat. */
  nextRunAt: (job: JobParameters) => Date | null;
}

type Schedule = Pick<JobParameters, "name" | "repeatInterval" | "repeatTimezone">;

interface HeldJob {
  _id: Types.ObjectId;
  /** By the clock of the database. */
  claimedAt: Date;
}

/**
 * The jobs of Agenda, claimed and scheduled by the clock of the database like the jobs of signals: Agenda itself goes by the
 * clock of its machine, so a worker that is ahead would take the jobs of all others. What it says about time is ignored.
 */
export class RecurringJobStore extends MongoJobRepository {
  readonly #options: StoreOptions;
  readonly #lockMs = new Map<string, number>();
  /** One job of a name at a time. */
  readonly #held = new Map<string, HeldJob>();

  constructor(options: StoreOptions) {
    const mongo = nativeDb(options.database.connection);
    super({ mongo, db: { collection: JOBS_COLLECTION }, ensureIndex: false });
    this.#options = options;
  }

  /** Adds a job, or gives it another schedule. One that is due stays due, however late it is. */
  async addSchedule(schedule: Schedule & { lockMs: number }): Promise<void> {
    const { lockMs, name, repeatInterval, repeatTimezone = null } = schedule;
    this.#lockMs.set(name, lockMs);
    const _id = idOf(name);
    const repeat = { repeatInterval, repeatTimezone };
    const first = { ...repeat, nextRunAt: this.#firstRunAt(schedule) };
    const { upsertedCount } = await this.collection.updateOne(
      { _id },
      { $setOnInsert: { name, type: "single", priority: 0, data: {}, lockedAt: null, ...first } },
      { upsert: true },
    );
    if (upsertedCount === 1) {
      // Before, ids were not the same for all workers.
      await this.collection.deleteMany({ _id: { $ne: _id }, name, type: "single" });
    } else {
      const isOther = { $or: [{ repeatInterval: { $ne: repeatInterval } }, { nextRunAt: null }] };
      await this.collection.updateOne({ _id, ...isOther }, { $set: first });
    }
  }

  /** Claims a job that is due, or that a crashed worker left. Agenda's own times are not used. */
  override async getNextJobToRun(name: string): Promise<JobParameters | undefined> {
    const lockMs = this.#lockMs.get(name);
    if (lockMs === undefined || this.#held.has(name)) return undefined;
    const { workerId: lastModifiedBy } = this.#options;
    const isDue = { lockedAt: null, $expr: { $lte: ["$nextRunAt", "$$NOW"] } };
    const isExpired = { $expr: { $lt: ["$lockedAt", { $subtract: ["$$NOW", lockMs] }] } };
    const isStranded = { lockedAt: { $ne: null }, $or: [isExpired, { lastModifiedBy }] };
    const claimed = await this.collection.findOneAndUpdate(
      { name, disabled: { $ne: true }, nextRunAt: { $ne: null }, $or: [isDue, isStranded] },
      [{ $set: { lockedAt: "$$NOW", lastRunAt: "$$NOW", lastModifiedBy } }],
      { returnDocument: "after", sort: { nextRunAt: 1 } },
    );
    if (!claimed?.lockedAt) return undefined;
    const { _id, data, type, priority, lockedAt: claimedAt } = claimed;
    const job = { name, data, type, priority, failCount: claimed.failCount ?? 0 };
    this.#held.set(name, { _id, claimedAt });
    const repeat = {
      repeatInterval: claimed.repeatInterval ?? undefined,
      repeatTimezone: claimed.repeatTimezone ?? undefined,
    };
    return { ...job, ...repeat, ...AT_ONCE, _id: toJobId(_id.toHexString()) };
  }

  /** Renews the lock of a running job. */
  async renew(name: string): Promise<void> {
    const held = this.#held.get(name);
    if (!held) return;
    const own = { _id: held._id, lockedAt: { $ne: null } };
    const { workerId: lastModifiedBy } = this.#options;
    await this.collection.updateOne({ ...own, lastModifiedBy }, [{ $set: { lockedAt: "$$NOW" } }]);
  }

  /** Agenda saves a job when it starts, which the claim has done, and when it has ended. */
  override async saveJobState(job: JobParameters): Promise<void> {
    const held = this.#held.get(job.name);
    if (!held || job.lockedAt) return;
    this.#held.delete(job.name);
    const { failCount = 0, failReason = null } = job;
    const ended = {
      lockedAt: null,
      nextRunAt: this.#options.nextRunAt({ ...job, lastRunAt: held.claimedAt }),
      lastFinishedAt: "$$NOW",
      failCount,
      failReason: { $literal: failReason },
      ...(job.failedAt && { failedAt: "$$NOW" }),
    };
    // Another worker has the job by now if the lock was lost.
    const { workerId: lastModifiedBy } = this.#options;
    await this.collection.updateOne({ _id: held._id, lastModifiedBy }, [{ $set: ended }]);
  }

  /** Frees the jobs that this worker holds, also those that it locked without learning of it. */
  async releaseAll(): Promise<void> {
    const { workerId: lastModifiedBy } = this.#options;
    const own = {
      name: { $in: [...this.#lockMs.keys()] },
      lockedAt: { $ne: null },
      lastModifiedBy,
    };
    await this.collection.updateMany(own, { $set: { lockedAt: null } });
  }

  /** An interval starts at once, a time of day when it comes. */
  #firstRunAt(schedule: Schedule): Date | null {
    const at = this.#options.database.now();
    const { name, repeatInterval } = schedule;
    if (!String(repeatInterval).includes("*")) return at;
    const job = {
      ...schedule,
      name,
      type: "single",
      priority: 0,
      data: {},
      nextRunAt: at,
    } as const;
    return this.#options.nextRunAt({ ...job, lastRunAt: at });
  }
}

/** The same for all workers, so that a recurring job is stored once. */
const idOf = (name: string): Types.ObjectId =>
  new Types.ObjectId(createHash("sha256").update(name).digest("hex").slice(0, 24));
