import type { Database } from "@shared/database/database.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import type { UnitOfWork } from "@shared/outbox/commit.ts";
import { userStream } from "@shared/outbox/streams.ts";
import type { Types } from "mongoose";
import {
  type Admin,
  type AdminDeps,
  commitAsAdmin,
  type UserActionInput,
} from "../admin/security-log.ts";
import { deleteSignals } from "../signals/delete-signals.ts";
import { findUserByName } from "./manage-users.ts";

/** Signals per transaction, which blocks the user's other changes. */
const BATCH_SIZE = 500;

export async function clearHistory(
  deps: AdminDeps,
  input: UserActionInput,
): Promise<{ user: UserRecord; deleted: number }> {
  const user = await findUserByName(deps.database, input.username);
  const deleted = await clearHistoryOf(deps.database, user._id, asAdmin(deps, input.admin));
  return { user, deleted };
}

export type CommitAction = <Result>(
  lockKeys: string | readonly string[],
  apply: (uow: UnitOfWork) => Promise<Result>,
) => Promise<Result>;

export const asAdmin =
  (deps: AdminDeps, admin: Admin): CommitAction =>
  (lockKeys, apply) =>
    commitAsAdmin(deps, { admin, lockKeys }, apply);

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
  await deleteSignals(database, uow, { userId, signalIds });
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
  deps: AdminDeps,
  { admin }: { admin: Admin },
): Promise<{ deleted: number; users: number }> {
  const userIds = await deps.database.signals.distinct("userId", {
    status: { $in: ["completed", "failed"] },
  });
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
