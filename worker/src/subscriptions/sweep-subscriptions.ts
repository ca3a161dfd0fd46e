import { setTimeout } from "node:timers/promises";
import { settleSubscriptions } from "@shared/domain/subscriptions.ts";
import { commit } from "@shared/outbox/commit.ts";
import { ADMINS_STREAM, userStream } from "@shared/outbox/streams.ts";
import { AppError } from "@shared/runtime/app-error.ts";
import { doubling, repeatedly, type WorkHandler } from "@shared/work/work-handler.ts";
import type { Types } from "mongoose";
import type { WorkerDeps } from "../worker-deps.ts";

type SweepDeps = Pick<WorkerDeps, "database" | "logger" | "now"> & {
  metrics: Pick<WorkerDeps["metrics"], "subscriptionStep" | "subscriptionLag">;
  abort: AbortSignal;
};

/** Users in one transaction. They stay locked until it ends. */
const BATCH_SIZE = 25;

/** Between two batches: half as long as a batch takes, but no longer than this. */
const MAX_PAUSE_MS = 100;

/** What becomes due by a change is noticed within this time. */
const MAX_INTERVAL_MS = 5_000;

/** The work of doing what is due of subscriptions, each at its time. */
export const sweepingSubscriptions = (deps: Omit<SweepDeps, "abort">): WorkHandler =>
  repeatedly(deps, {
    kind: "sweep-subscriptions",
    retryDelayMs: doubling({ first: 1_000, max: MAX_INTERVAL_MS }),
    run: (abort) => sweepDue({ ...deps, abort }),
  });

/** Sweeps what is due. @returns when the next sweep is */
export async function sweepDue(deps: SweepDeps): Promise<Date> {
  const { database, now } = deps;
  const at = now();
  await sweepSubscriptions(deps, at);
  const latest = new Date(now().getTime() + MAX_INTERVAL_MS);
  const next = await database.users
    .findOne({ "subscription.nextDueAt": { $gt: at, $lte: latest } })
    .sort({ "subscription.nextDueAt": 1 })
    .select({ "subscription.nextDueAt": 1 })
    .lean();
  return next?.subscription?.nextDueAt ?? latest;
}

const pause = (timeMs: number, signal: AbortSignal): Promise<void> =>
  setTimeout(timeMs, undefined, { signal }).catch(() => undefined);

/**
 * Does what was due of all subscriptions at this time, the earliest first: grants credits, sends reminders, starts grace
 * periods and ends subscriptions. May run late, and on several workers at once. A user who fails is left to the next sweep.
 */
export async function sweepSubscriptions(deps: SweepDeps, at: Date): Promise<void> {
  const { database, metrics, now, abort } = deps;
  const due = await database.users
    .find({ "subscription.nextDueAt": { $lte: at } })
    .sort({ "subscription.nextDueAt": 1 })
    .select({ "subscription.nextDueAt": 1 })
    .lean();
  const oldest = due[0]?.subscription?.nextDueAt ?? at;
  metrics.subscriptionLag((now().getTime() - oldest.getTime()) / 1_000);
  for (let start = 0; start < due.length && !abort.aborted; start += BATCH_SIZE) {
    const batch = due.slice(start, start + BATCH_SIZE).map(({ _id }) => _id);
    const startedAt = performance.now();
    await settleBatch(deps, batch);
    const tookMs = performance.now() - startedAt;
    const isLast = start + BATCH_SIZE >= due.length;
    // Meanwhile, actions of administrators commit, which write to the same stream and would conflict with each batch.
    if (!isLast) await pause(Math.min(tookMs / 2, MAX_PAUSE_MS), abort);
  }
}

/** Settles users in one transaction, or each in one of their own if that fails. @throws AppError unavailable */
async function settleBatch(deps: SweepDeps, userIds: readonly Types.ObjectId[]): Promise<void> {
  try {
    await settle(deps, userIds);
  } catch (error) {
    if (userIds.length > 1) {
      for (const userId of userIds) await settleBatch(deps, [userId]);
      return;
    }
    if (isUnavailable(error)) throw error;
    deps.logger.warn({ err: error, userId: userIds[0] }, "subscription left to the next sweep");
  }
}

const isUnavailable = (error: unknown): boolean =>
  error instanceof AppError && error.code === "unavailable";

async function settle(
  { database, metrics, now }: SweepDeps,
  userIds: readonly Types.ObjectId[],
): Promise<void> {
  const lockKeys = [ADMINS_STREAM, ...userIds.map(userStream)];
  const settled = await commit(database, { lockKeys, now }, async (uow) => {
    const users = await database.users
      .find({ _id: { $in: [...userIds] } })
      .session(uow.session)
      .lean();
    return settleSubscriptions(database, uow, users);
  });
  for (const { kind } of settled.flatMap(({ steps }) => steps)) metrics.subscriptionStep(kind);
}
