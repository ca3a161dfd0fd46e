import { setTimeout as delay } from "node:timers/promises";
import type { ClientSession } from "mongodb";
import type { Types } from "mongoose";
import type { Database } from "../database/database.ts";
import type { Logger } from "../runtime/logger.ts";
import {
  deleteItem,
  type FoundItem,
  type HeldItem,
  type KindOfItem,
  postponeItem,
} from "./item-locks.ts";

/** How a worker does the items of one kind. Most kinds are `oneByOne`. */
export interface WorkHandler extends KindOfItem {
  /** Items that one worker does at once. */
  concurrency: number;
  /** Short items that have places of their own beside the others. */
  short?: { concurrency: number; includes: (item: FoundItem) => boolean };
  /** False while items would fail, as a service that they need is away. */
  isReady?: () => boolean;
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
  isShort?: boolean;
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

interface HandlerDeps {
  database: Database;
  logger: Logger;
}

interface OneByOne {
  kind: string;
  concurrency: number;
  /** After a failure. Each further one doubles the delay. */
  retryDelayMs: { first: number; max: number };
  /**
   * Does an item at the time when it is due, at least once. The item is deleted afterwards, or by `finishWork` together
   * with its last write.
   */
  run: (item: WorkItem, abort: AbortSignal) => Promise<void>;
}

/** Does each item alone. One that fails is retried later, and delays no other. */
export function oneByOne(deps: HandlerDeps, options: OneByOne): WorkHandler {
  const { kind, concurrency } = options;
  let awayUntilMs = 0;
  const runFound = async (found: FoundItem, workerId: string, abort: AbortSignal) => {
    const { _id, data, failCount, nextRunAt } = found;
    const item = { _id, workerId, data, dueAt: nextRunAt ?? deps.database.now() };
    try {
      await untilDue(deps.database, item.dueAt, abort);
      await options.run(item, abort);
    } catch (error) {
      // It is lost, or released when the worker has stopped.
      if (abort.aborted) throw error;
      if (error instanceof ServiceAwayError) awayUntilMs = performance.now() + AWAY_MS;
      return postpone(deps, options, { item, failures: failCount ?? 0, error });
    }
    await deleteItem(deps.database, item);
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
  { kind, retryDelayMs: { first, max } }: OneByOne,
  { item, failures, error }: { item: WorkItem; failures: number; error: unknown },
): Promise<void> {
  const isAway = error instanceof ServiceAwayError;
  const delayMs = isAway ? AWAY_MS : Math.min(first * 2 ** failures, max);
  const reason = error instanceof Error ? error.message : "unknown";
  const failure = { count: isAway ? failures : failures + 1, reason };
  await postponeItem(database, item, { delayMs, failure });
  logger.warn({ err: error, kind, itemId: String(item._id), delayMs }, "work item failed");
}

async function untilDue(
  { now }: Pick<Database, "now">,
  dueAt: Date,
  signal: AbortSignal,
): Promise<void> {
  const waitMs = dueAt.getTime() - now().getTime();
  if (waitMs > 0) await delay(waitMs, undefined, { signal });
}
