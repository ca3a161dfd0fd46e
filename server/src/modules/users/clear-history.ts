import type { Database } from "@shared/database/database.ts";
import { UNFINISHED } from "@shared/database/models/signal.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import type { UnitOfWork } from "@shared/outbox/commit.ts";
import { userStream } from "@shared/outbox/streams.ts";
import { type ClientSession, Types } from "mongoose";
import type { AuthenticatedSession } from "../../http/sessions.ts";
import type { ServerDeps } from "../../server-deps.ts";
import { commitAsAdmin } from "../admin/security-log.ts";
import { findUserByName } from "./manage-users.ts";

/** Signals per transaction, which blocks the user's other changes. */
const BATCH_SIZE = 500;

export async function clearHistory(
  deps: ServerDeps,
  admin: AuthenticatedSession,
  username: string,
): Promise<{ user: UserRecord; deleted: number }> {
  const user = await findUserByName(deps.database, username);
  const deleted = await clearHistoryOf(deps.database, user._id, asAdmin(deps, admin));
  return { user, deleted };
}

export type CommitAction = <Result>(
  lockKeys: string | readonly string[],
  apply: (uow: UnitOfWork) => Promise<Result>,
) => Promise<Result>;

export const asAdmin =
  (deps: ServerDeps, admin: AuthenticatedSession): CommitAction =>
  (lockKeys, apply) =>
    commitAsAdmin(deps, admin, lockKeys, apply);

/** Deletes in batches, with an event for each. Returns the number of deleted signals. */
export async function clearHistoryOf(
  database: Database,
  userId: Types.ObjectId,
  commitAction: CommitAction,
): Promise<number> {
  const lockKeys = userStream(userId);
  let deleted = 0;
  let batch: number;
  do {
    batch = await commitAction(lockKeys, (uow) => clearBatch(database, uow, userId));
    deleted += batch;
  } while (batch === BATCH_SIZE);
  return deleted;
}

async function clearBatch(
  database: Database,
  uow: UnitOfWork,
  userId: Types.ObjectId,
): Promise<number> {
  const finished = await database.signals
    .find({ userId, status: { $in: ["completed", "failed"] } })
    .sort({ createdAt: 1 })
    .limit(BATCH_SIZE)
    .select({ _id: 1 })
    .session(uow.session)
    .lean();
  if (finished.length === 0) return 0;
  const signalIds = finished.map((signal) => signal._id);
  await deleteSignals(database, uow, userId, signalIds);
  const owner = await database.users.findById(userId).session(uow.session).lean();
  uow.log({
    type: "history:cleared",
    user: owner?.username ?? null,
    details: { signals: finished.length },
  });
  uow.addEvent(userStream(userId), "history:cleared", {});
  return finished.length;
}

const USERS_AT_A_TIME = 8;

/** Deletes the finished signals of all users. May be repeated after an interruption. */
export async function clearAllHistory(
  deps: ServerDeps,
  admin: AuthenticatedSession,
): Promise<{ deleted: number; users: number }> {
  const userIds = await deps.database.signals.distinct("userId");
  const total = { deleted: 0, users: 0 };
  for (let start = 0; start < userIds.length; start += USERS_AT_A_TIME) {
    const batch = userIds.slice(start, start + USERS_AT_A_TIME);
    const counts = await Promise.all(
      batch.map((userId) => clearHistoryOf(deps.database, userId, asAdmin(deps, admin))),
    );
    for (const deleted of counts.filter((count) => count > 0)) {
      total.deleted += deleted;
      total.users += 1;
    }
  }
  return total;
}

/** Deletes signals of a user and their idempotency keys. The analyses stay, since they belong to the market. */
export async function deleteSignals(
  database: Database,
  { session }: UnitOfWork,
  userId: Types.ObjectId,
  signalIds: readonly Types.ObjectId[],
): Promise<void> {
  const ids = { $in: [...signalIds] };
  const imageAnalysisIds = await database.signals.distinct(
    "analysisId",
    { _id: ids, userId, chartImageId: { $exists: true } },
    { session },
  );
  await database.signals.deleteMany({ _id: ids, userId }, { session });
  await database.idempotencyKeys.deleteMany(
    { _id: { $regex: `^${userId}:` }, signalId: ids },
    { session },
  );
  await redactImageAnalyses(database, session, imageAnalysisIds);
}

/** Texts about a chart image may describe private content. The figures do not. */
const REDACTED = {
  "result.analysis.warnings": [],
  "result.analysis.raw_ai.rationale": "",
  "result.analysis.raw_ai.key_evidence": [],
  "result.analysis.raw_ai.counter_evidence": [],
  "result.analysis.raw_ai.market_condition": "",
  "result.analysis.raw_ai.what_to_watch_for": [],
} as const;

/** Names no image, but still distinguishes an analysis of an image from one of the market. */
const DELETED_IMAGE_ID = new Types.ObjectId("000000000000000000000000");

async function redactImageAnalyses(
  database: Database,
  session: ClientSession,
  analysisIds: readonly Types.ObjectId[],
): Promise<void> {
  if (analysisIds.length === 0) return;
  const ids = { $in: [...analysisIds] };
  await database.jobs.deleteMany({ _id: ids }, { session });
  await database.marketAnalyses.deleteMany({ _id: ids, ...UNFINISHED }, { session });
  await database.marketAnalyses.updateMany(
    { _id: ids },
    { $set: { ...REDACTED, chartImageId: DELETED_IMAGE_ID }, $unset: { provenance: 1 } },
    { session },
  );
}
