import type { UserRecord } from "@shared/node/models/user.ts";
import { deleteSignals } from "@shared/node/signals/delete-signals.ts";
import type { UnitOfWork } from "@shared/outbox/commit.ts";
import { userStream } from "@shared/outbox/streams.ts";
import type { Types } from "mongoose";
import { type Admin, type AdminDeps, commitAdminChange, type UserOrder } from "./admin-change.ts";
import { findUserByName } from "./find-user.ts";

/** Signals that one transaction deletes at most; it holds up the user's other changes for about this long. */
const BATCH_SIZE = 500;

/**
 * Deletes the finished signals of one user; what is queued or running ends normally.
 * @returns the user, and how many signals are gone
 * @throws AppError not-found
 */
export async function clearHistory(
  deps: AdminDeps,
  order: UserOrder,
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
    batch = await commitAdminChange(deps, { admin, lockKeys }, (uow) =>
      clearBatch(deps, uow, userId),
    );
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
