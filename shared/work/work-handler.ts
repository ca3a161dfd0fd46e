import { setTimeout as delay } from "node:timers/promises";
import type { ClientSession } from "mongodb";
import type { Types } from "mongoose";
import type { Database } from "../database/database.ts";
import type { JobRecord } from "../database/models/job.ts";
import type { Logger } from "../runtime/logger.ts";
import {
  deleteItem,
  type FoundItem,
  type HeldItem,
  type KindOfItem,
  postponeItem,
  repeatItem,
} from "./item-locks.ts";
import { addItemIfNone, newWorkItem, workId } from "./work-item.ts";

/** How a worker does the items of one kind. Most kinds are `oneByOne`. */
export interface WorkHandler extends KindOfItem {
  /** Items that one worker does at once. */
  concurrency: number;
  /** False while items would fail, as a service that they need is away. */
  isReady?: () => boolean;
  /** The only item of a kind that is always there. */
  standing?: JobRecord;
  /** Aborts running items as soon as the worker stops. */
  stopsAtOnce?: boolean;
  /** Locks items with `lock`, and what has to be committed with their locks. */
  claim: (items: readonly FoundItem[], lock: ItemLock) => Promise<ClaimedWork[]>;
}

export interface ItemLock {
  workerId: string;
  /** @returns ids of the items that this worker has now */
  take: (session?: ClientSession) => Promise<Types.ObjectId[]>;
}

export interface ClaimedWork {
  id: Types.ObjectId;
  /** `abort` fires when the item is lost to another worker or has to be returned. */
  run: (abort: AbortSignal) => Promise<void>;
}

/** An item that a handler has to do. */
export interface WorkItem extends HeldItem {
  data: unknown;
  dueAt: Date;
}

/** Thrown by a handler if a service is away that all items of the kind need. They are left alone for a moment. */
export class ServiceAwayError extends Error {
  override readonly name = "ServiceAwayError";
}

const AWAY_MS = 15_000;

/** Thrown by a handler that leaves the rest of an item to another worker. The item is free when the queue has stopped. */
export class WorkerStoppingError extends Error {
  override readonly name = "WorkerStoppingError";
  override readonly message = "The worker is stopping; another one continues.";
}

interface HandlerDeps {
  database: Database;
  logger: Logger;
}

interface Retried {
  kind: string;
  concurrency: number;
  /** The delay of another attempt, after this many failures before the last one. */
  retryDelayMs: (failures: number) => number;
}

/** Each further failure doubles the delay. */
export const doubling =
  ({ first, max }: { first: number; max: number }): Retried["retryDelayMs"] =>
  (failures) =>
    Math.min(first * 2 ** failures, max);

interface OneByOne extends Retried {
  /**
   * Does an item at the time when it is due, at least once. The item is deleted afterwards, or by `finishWork` together
   * with its last write.
   */
  run: (item: WorkItem, abort: AbortSignal) => Promise<void>;
}

/** Does each item alone. One that fails is retried later, and delays no other. */
export function oneByOne(deps: HandlerDeps, { run, ...options }: OneByOne): WorkHandler {
  const runOnce = async (item: WorkItem, abort: AbortSignal) => {
    await run(item, abort);
    return null;
  };
  return untilDone(deps, { ...options, run: runOnce });
}

type Schedule = Pick<JobRecord, "repeatInterval" | "repeatTimezone">;

interface Repeated {
  kind: string;
  retryDelayMs: Retried["retryDelayMs"];
  /** As the queue page shows it, if it is fixed. */
  schedule?: Schedule;
  /** When it is due for the first time; at once by default. */
  firstDueAt?: Date;
  /**
   * @param at when it was due or, if it is late, the time now
   * @returns when it is due again
   */
  run: (abort: AbortSignal, at: Date) => Promise<Date>;
}

/** Does the only item of a kind again and again, on one worker at a time. It may be left undone when the worker stops. */
export function repeatedly(
  deps: HandlerDeps,
  { kind, retryDelayMs, schedule, firstDueAt, run }: Repeated,
): WorkHandler {
  const { now } = deps.database;
  const id = workId(kind, "");
  const runAgain = async ({ _id, dueAt }: WorkItem, abort: AbortSignal) => {
    const at = new Date(Math.max(dueAt.getTime(), now().getTime()));
    const dueAgainAt = await run(abort, at);
    abort.throwIfAborted();
    // An administrator may have queued a copy.
    return _id.equals(id) ? dueAgainAt : null;
  };
  const item = newWorkItem({ kind, id, data: {}, dueAt: firstDueAt ?? now() });
  const handler = untilDone(deps, { kind, concurrency: 1, retryDelayMs, run: runAgain });
  return { ...handler, standing: { ...item, ...schedule }, stopsAtOnce: true };
}

/** Stores the items of kinds that are always there, or gives them another schedule. One that is due stays due. */
export async function addStandingItems(
  database: Database,
  handlers: readonly WorkHandler[],
): Promise<void> {
  for (const { standing } of handlers) {
    if (!standing) continue;
    const { _id, repeatInterval, repeatTimezone, nextRunAt } = standing;
    await addItemIfNone(database, standing);
    await database.jobs.updateOne(
      { _id, $or: [{ repeatInterval: { $ne: repeatInterval } }, { nextRunAt: null }] },
      { $set: { repeatInterval, repeatTimezone, nextRunAt } },
    );
  }
}

/**
 * Does each item alone, again and again.
 * @param options.run returns when the item is due again; null if it is done
 */
export function untilDone(
  deps: HandlerDeps,
  options: Retried & { run: (item: WorkItem, abort: AbortSignal) => Promise<Date | null> },
): WorkHandler {
  const { kind, concurrency } = options;
  const { database } = deps;
  let awayUntilMs = 0;
  const runFound = async (found: FoundItem, workerId: string, abort: AbortSignal) => {
    const { _id, data, failCount, nextRunAt } = found;
    const item = { _id, workerId, data, dueAt: nextRunAt ?? database.now() };
    try {
      await untilDue(database, item.dueAt, abort);
      const dueAgainAt = await options.run(item, abort);
      if (dueAgainAt) await repeatItem(database, item, dueAgainAt);
      else await deleteItem(database, item);
    } catch (error) {
      // It is lost, or released when the queue has stopped.
      if (abort.aborted || error instanceof WorkerStoppingError) throw error;
      if (error instanceof ServiceAwayError) awayUntilMs = performance.now() + AWAY_MS;
      await postpone(deps, options, { item, failures: failCount ?? 0, error });
    }
  };
  return {
    kind,
    concurrency,
    isTimed: true,
    isReady: () => performance.now() >= awayUntilMs,
    async claim(items, { workerId, take }) {
      const ids = new Set((await take()).map(String));
      return items
        .filter(({ _id }) => ids.has(String(_id)))
        .map((item) => ({ id: item._id, run: (abort) => runFound(item, workerId, abort) }));
    },
  };
}

async function postpone(
  { database, logger }: HandlerDeps,
  { kind, retryDelayMs }: Retried,
  { item, failures, error }: { item: WorkItem; failures: number; error: unknown },
): Promise<void> {
  const isAway = error instanceof ServiceAwayError;
  const delayMs = isAway ? AWAY_MS : retryDelayMs(failures);
  const reason = error instanceof Error ? error.message : "unknown";
  const failure = { count: isAway ? failures : failures + 1, reason };
  await postponeItem(database, item, { delayMs, failure });
  logger.warn({ err: error, kind, itemId: String(item._id), delayMs }, "work item failed");
}

async function untilDue({ now }: Database, dueAt: Date, signal: AbortSignal): Promise<void> {
  const waitMs = dueAt.getTime() - now().getTime();
  if (waitMs > 0) await delay(waitMs, undefined, { signal });
}
