import type { ClientSession, Filter } from "mongodb";
import type { Types } from "mongoose";
import { type Database, nativeCollection } from "../database/database.ts";
import type { JobRecord } from "../database/models/job.ts";

/** Items are found this long before they are due, and done at their time. Longer than the time between two looks. */
export const LOOK_AHEAD_MS = 2_000;

const IN_ORDER = { priority: -1, nextRunAt: 1 } as const;

const FOUND_FIELDS = { data: 1, priority: 1, nextRunAt: 1, failCount: 1 } as const;

export type FoundItem = Pick<JobRecord, "_id" | "data" | "priority" | "nextRunAt" | "failCount">;

export interface LockOwner {
  workerId: string;
  lockMs: number;
}

export interface KindOfItem {
  kind: string;
  /** Whether items may be added that are due later. */
  isTimed: boolean;
}

const NOT_PAUSED = { nextRunAt: { $ne: null }, disabled: { $ne: true } };

const IS_DUE_SOON = { $expr: { $lte: ["$nextRunAt", { $add: ["$$NOW", LOOK_AHEAD_MS] }] } };

const dueOf = ({ kind, isTimed }: KindOfItem) => ({
  name: kind,
  ...NOT_PAUSED,
  ...(isTimed && IS_DUE_SOON),
});

const isExpired = ({ lockMs }: LockOwner) => ({
  $expr: { $lt: ["$lockedAt", { $subtract: ["$$NOW", lockMs] }] },
});

const isFreeFor = (owner: LockOwner) => ({
  $or: [{ lockedAt: null }, { lastModifiedBy: owner.workerId }, isExpired(owner)],
});

interface Selection {
  running: readonly Types.ObjectId[];
  limit: number;
}

/** Waiting items, except those that this worker runs, in the order in which they are to run. */
export const findWaiting = (
  database: Database,
  kind: KindOfItem,
  { running, limit }: Selection,
): Promise<FoundItem[]> =>
  find(database, { ...dueOf(kind), _id: { $nin: [...running] }, lockedAt: null }, limit);

export const countLocked = ({ jobs }: Database, { kind }: KindOfItem): Promise<number> =>
  jobs.countDocuments({ name: kind, lockedAt: { $ne: null } });

/** Items that this worker locked without learning of it, as the reply was lost, and expired locks of other workers. */
export const findStranded = (
  database: Database,
  kind: KindOfItem,
  { running, mayTakeOver, limit, ...owner }: LockOwner & Selection & { mayTakeOver: boolean },
): Promise<FoundItem[]> => {
  const isOurs = { lastModifiedBy: owner.workerId };
  const filter = {
    ...dueOf({ ...kind, isTimed: false }),
    _id: { $nin: [...running] },
    lockedAt: { $ne: null },
    $or: [isOurs, ...(mayTakeOver ? [isExpired(owner)] : [])],
  };
  return find(database, filter, limit);
};

/** @returns those that have an item to be done, or to be taken over */
export async function findDueKinds(
  { jobs }: Database,
  kinds: readonly KindOfItem[],
  owner: LockOwner,
): Promise<string[]> {
  const named = (isTimed: boolean) => ({
    name: { $in: kinds.flatMap((kind) => (kind.isTimed === isTimed ? kind.kind : [])) },
  });
  const isDue = { $or: [named(false), { ...named(true), ...IS_DUE_SOON }] };
  const filter = { $and: [isDue, NOT_PAUSED, isFreeFor(owner)] };
  const found = await nativeCollection(jobs)
    .aggregate<{ _id: string }>([{ $match: filter }, { $group: { _id: "$name" } }])
    .toArray();
  return found.map(({ _id }) => _id);
}

const find = (database: Database, filter: Filter<JobRecord>, limit: number): Promise<FoundItem[]> =>
  nativeCollection(database.jobs)
    .find(filter, { projection: FOUND_FIELDS })
    .sort(IN_ORDER)
    .limit(limit)
    .toArray();

/**
 * Locks items of a kind, with the time of the database.
 * @returns ids of those that no other worker has locked meanwhile
 */
export async function lockItems(
  database: Database,
  { kind, items, owner }: { kind: KindOfItem; items: readonly FoundItem[]; owner: LockOwner },
  session?: ClientSession,
): Promise<Types.ObjectId[]> {
  const all = nativeCollection(database.jobs);
  const due = dueOf(kind);
  const ids = { _id: { $in: items.map(({ _id }) => _id) } };
  // Another worker may have done one meanwhile, which is due again later.
  const found = kind.isTimed
    ? { $or: items.map(({ _id, nextRunAt }) => ({ _id, nextRunAt })) }
    : ids;
  const { workerId } = owner;
  const options = session ? { session } : {};
  const { matchedCount } = await all.updateMany(
    { $and: [found, due, isFreeFor(owner)] },
    [{ $set: { lockedAt: "$$NOW", lastRunAt: "$$NOW", lastModifiedBy: workerId } }],
    options,
  );
  if (matchedCount === items.length) return items.map(({ _id }) => _id);
  const held = await all
    .find({ $and: [found, due], lastModifiedBy: workerId }, { ...options, projection: { _id: 1 } })
    .toArray();
  return held.map(({ _id }) => _id);
}

const heldBy = (workerId: string) => ({ lockedAt: { $ne: null }, lastModifiedBy: workerId });

/**
 * Renews the locks of running items.
 * @returns ids of those whose lock was lost
 */
export async function renewLocks(
  database: Database,
  { ids, workerId }: { ids: readonly Types.ObjectId[]; workerId: string },
): Promise<Types.ObjectId[]> {
  const jobs = nativeCollection(database.jobs);
  const own = { _id: { $in: [...ids] }, ...heldBy(workerId) };
  const { matchedCount } = await jobs.updateMany(own, [{ $set: { lockedAt: "$$NOW" } }]);
  if (matchedCount === ids.length) return [];
  const held = await jobs.find(own, { projection: { _id: 1 } }).toArray();
  return ids.filter((id) => !held.some(({ _id }) => _id.equals(id)));
}

const UNLOCKED = { lockedAt: null, lastModifiedBy: null } as const;

/** Returns all items of a worker to the queue, also those that it locked without learning of it. */
export async function releaseItems(
  database: Database,
  { kinds, workerId }: { kinds: readonly string[]; workerId: string },
): Promise<void> {
  await nativeCollection(database.jobs).updateMany(
    { name: { $in: [...kinds] }, ...heldBy(workerId) },
    { $set: UNLOCKED },
  );
}

/** An item that this worker runs. */
export interface HeldItem {
  _id: Types.ObjectId;
  workerId: string;
}

/** Another worker has taken over the item, or it was deleted. */
export class WorkLostError extends Error {
  override readonly name = "WorkLostError";
  override readonly message = "The work item was taken over or deleted.";
}

/**
 * Ends an item in the transaction of its last write, which fails if this worker has lost it.
 * @throws WorkLostError
 */
export async function finishWork(
  database: Database,
  session: ClientSession,
  item: HeldItem,
): Promise<void> {
  if (!(await deleteItem(database, item, session))) throw new WorkLostError();
}

/** @returns false if this worker had lost it, or had ended it before */
export async function deleteItem(
  database: Database,
  { _id, workerId }: HeldItem,
  session?: ClientSession,
): Promise<boolean> {
  const jobs = nativeCollection(database.jobs);
  const { deletedCount } = await jobs.deleteOne(
    { _id, ...heldBy(workerId) },
    session ? { session } : {},
  );
  return deletedCount === 1;
}

/** Unlocks an item that is to be done again. A time that was set while it was done stays: that run may have been too early. */
export async function repeatItem(
  database: Database,
  { _id, workerId, dueAt }: HeldItem & { dueAt: Date },
  dueAgainAt: Date,
): Promise<void> {
  const done = { failCount: null, failReason: null, failedAt: null, lastFinishedAt: "$$NOW" };
  const nextRunAt = { $cond: [{ $eq: ["$nextRunAt", dueAt] }, dueAgainAt, "$nextRunAt"] };
  await nativeCollection(database.jobs).updateOne({ _id, ...heldBy(workerId) }, [
    { $set: { ...UNLOCKED, ...done, nextRunAt } },
  ]);
}

/** Unlocks an item that failed. It is due again after a delay. */
export async function postponeItem(
  database: Database,
  { _id, workerId }: HeldItem,
  { delayMs, failure }: { delayMs: number; failure: { count: number; reason: string } },
): Promise<void> {
  const failed = {
    failCount: failure.count,
    failReason: { $literal: failure.reason },
    failedAt: "$$NOW",
  };
  await nativeCollection(database.jobs).updateOne({ _id, ...heldBy(workerId) }, [
    { $set: { ...UNLOCKED, ...failed, nextRunAt: { $add: ["$$NOW", delayMs] } } },
  ]);
}
