import type { Database } from "@shared/node/database.ts";
import { UNFINISHED } from "@shared/node/models/signal.ts";
import { WORKER_GONE_SECONDS } from "@shared/node/models/worker-status.ts";
import { nativeCollection } from "@shared/node/native-collection.ts";
import { SharedStep, type Some, type StepRun } from "@shared/node/shared-step.ts";
import { readQueueState } from "@shared/node/signals/queue-state.ts";
import { TransactionNotes } from "@shared/node/transaction-notes.ts";
import type { ClientSession, Types } from "mongoose";
import { rateLimited, unavailable } from "../errors.ts";
import type { ServerDeps } from "../server-deps.ts";

/** Signals of one user that may be unfinished at once: as many as he may ask for in a minute. */
export const MOST_SIGNALS_OF_ONE_USER = 60;

/** A signal takes a few seconds, so a place is free again about then. */
const RETRY_AFTER_SECONDS = 5;

/**
 * Signals that may wait for each analysis that the living workers can do at once. An analysis takes about 5 s: the
 * last in line is made within the 60 s that its request waits.
 */
const WAITING_PER_PLACE = 10;

/** Accepted even while no worker is alive: enough to outlast the restart of all. */
export const FEWEST_PLACES = 50;

/** A flood of requests looks once this often. */
const LOOK_EVERY_MS = 500;

const UNFINISHED_INDEX = "unfinished_of_user";

interface Look {
  at: number;
  isFull: Promise<boolean>;
}
const lastLooks = new WeakMap<Database, Look>();

/**
 * Refuses work that would not be done in time, before all other work suffers from it.
 * @throws AppError unavailable with `Retry-After`
 */
export async function assertQueueHasRoom(
  deps: Pick<ServerDeps, "database" | "now">,
): Promise<void> {
  const nowMs = deps.now().getTime();
  const last = lastLooks.get(deps.database);
  const isStale = !last || Math.abs(nowMs - last.at) >= LOOK_EVERY_MS;
  const look = isStale ? { at: nowMs, isFull: isQueueFull(deps) } : last;
  lastLooks.set(deps.database, look);
  if (await look.isFull) throw unavailable();
}

async function isQueueFull({
  database,
  now,
}: Pick<ServerDeps, "database" | "now">): Promise<boolean> {
  const { waiting } = await readQueueState(database, now());
  if (waiting < FEWEST_PLACES * WAITING_PER_PLACE) return false;
  const aliveSince = new Date(now().getTime() - WORKER_GONE_SECONDS * 1_000);
  const workers = await database.workerStatuses.find({ seenAt: { $gte: aliveSince } }).lean();
  const places = workers.reduce((sum, { concurrency }) => sum + concurrency, 0);
  return waiting >= Math.max(places, FEWEST_PLACES) * WAITING_PER_PLACE;
}

interface Place {
  database: Database;
  userId: Types.ObjectId;
}

/** Counts the unfinished signals of users, for one at least up to `MOST_SIGNALS_OF_ONE_USER`. */
const countingUnfinished = new SharedStep<Place, number>({ forOne: countOne, forAll: countAll });

/** How many signals of a user are unfinished with those that the same transaction has added. */
const countedUnfinished = new TransactionNotes<number>();

/** Has the unfinished signals of a user counted for `takePlace`, with those of others. */
export const countBeforePlace = (session: ClientSession, key: object, place: Place): StepRun =>
  countingUnfinished.add(session, key, place);

/**
 * Takes a place for one more unfinished signal of a user.
 * @param key what his unfinished signals were counted under
 * @returns how many are unfinished before it
 */
export function takePlace(session: ClientSession, key: object, userId: Types.ObjectId): number {
  const user = userId.toString();
  const ahead = countedUnfinished.get(session, user) ?? countingUnfinished.outputFor(session, key);
  countedUnfinished.set(session, user, ahead + 1);
  return ahead;
}

/** Most users have none: to find a few is cheaper than to have MongoDB set up a count. */
async function countOne(session: ClientSession, { database, userId }: Place): Promise<number> {
  const found = await nativeCollection(database.signals)
    .find({ userId, ...UNFINISHED }, { session, projection: { _id: 1 } })
    .hint(UNFINISHED_INDEX)
    .limit(MOST_SIGNALS_OF_ONE_USER)
    .toArray();
  return found.length;
}

async function countAll(session: ClientSession, places: Some<Place>): Promise<number[]> {
  const [{ database }] = places;
  const ofThese = { userId: { $in: places.map(({ userId }) => userId) }, ...UNFINISHED };
  const counts = await nativeCollection(database.signals)
    .aggregate<{ _id: Types.ObjectId; count: number }>(
      [{ $match: ofThese }, { $group: { _id: "$userId", count: { $sum: 1 } } }],
      { session, hint: UNFINISHED_INDEX },
    )
    .toArray();
  const byUser = new Map(counts.map(({ _id, count }) => [_id.toString(), count]));
  return places.map(({ userId }) => byUser.get(userId.toString()) ?? 0);
}

/**
 * Refuses a user who has as many unfinished signals as anybody may have. They are counted under the session of the
 * change that adds another one: changes of one user take turns, so that many requests at once cannot slip through.
 * @throws AppError rate-limited
 */
export function assertUserHasRoom(
  { settings }: Pick<ServerDeps, "settings">,
  unfinished: number,
): void {
  if (settings.RATE_LIMIT === "off" || unfinished < MOST_SIGNALS_OF_ONE_USER) return;
  throw rateLimited(RETRY_AFTER_SECONDS);
}
