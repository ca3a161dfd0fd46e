import type { UserRecord } from "@shared/database/models/user.ts";
import type { UnitOfWork } from "@shared/outbox/commit.ts";
import { userStream } from "@shared/outbox/streams.ts";
import type { Types } from "mongoose";
import {
  type Admin,
  type AdminDeps,
  commitAsAdmin,
  type UserActionInput,
} from "../admin/audit-trail.ts";
import { deleteSignals } from "../signals/delete-signals.ts";
import { findUserByName } from "./manage-users.ts";

/** Signals that one transaction deletes at most; it holds up the user's other changes for about this long. */
const BATCH_SIZE = 500;

/**
 * Deletes the finished signals of one user; what is queued or running ends normally.
 * @returns the user, and how many signals are gone
 * @throws AppError not-found
 */
export async function clearHistory(
  deps: AdminDeps,
  order: UserActionInput,
): Promise<{ user: UserRecord; deleted: number }> {
  const user = await findUserByName(deps.database, order.username);
  return { user, deleted: await clearHistoryOf(deps, { admin: order.admin, userId: user._id }) };
}

/**
 * Deletes the finished signals of one user batch by batch, each of them told when it is committed.
 * @returns how many signals are gone
 */
export async function clearHistoryOf(
  deps: AdminDeps,
  { admin, userId }: { admin: Admin; userId: Types.ObjectId },
): Promise<number> {
  const lockKeys = userStream(userId);
  let deleted = 0;
  let batch: number;
  do {
    batch = await commitAsAdmin(deps, { admin, lockKeys }, (uow) => clearBatch(deps, uow, userId));
    deleted += batch;
  } while (batch === BATCH_SIZE);
  return deleted;
}

async function clearBatch(
  { database }: AdminDeps,
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
  uow.addAuditDetails({ signals: finished.length });
  uow.addEvent(userStream(userId), "history:cleared", {});
  return finished.length;
}

/** Users whose histories are deleted at the same time, each in transactions of its own. */
const USERS_AT_A_TIME = 8;

/**
 * Deletes the finished signals of all users. If it is interrupted, calling it again goes on with what is left.
 * @returns how many signals are gone, and of how many users
 */
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
      batch.map((userId) => clearHistoryOf(deps, { admin, userId })),
    );
    for (const deleted of counts.filter((count) => count > 0)) {
      total.deleted += deleted;
      total.users += 1;
    }
  }
  return total;
}
