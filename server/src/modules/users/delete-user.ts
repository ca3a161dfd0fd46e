import type { UserRecord } from "@shared/database/models/user.ts";
import type { UnitOfWork } from "@shared/outbox/commit.ts";
import { ADMINS_STREAM, userStream } from "@shared/outbox/streams.ts";
import type { Types } from "mongoose";
import { assertNotOwnAccount } from "../../http/access.ts";
import { userNotFound } from "../../http/errors.ts";
import type { ServerDeps } from "../../server-deps.ts";
import { type AdminDeps, commitAsAdmin, type UserActionInput } from "../admin/security-log.ts";
import { removeUserFiles } from "../files/stored-files.ts";
import { deleteSignals } from "../signals/delete-signals.ts";
import { clearHistoryOf } from "./clear-history.ts";
import { findUserByName } from "./manage-users.ts";

/**
 * Deletes a user with all data and sessions; the name becomes available again. The history, which may be long, is deleted
 * first. If the rest fails, the user still exists and can be deleted again. @throws AppError not-found, own-account
 */
export async function deleteUser(
  deps: AdminDeps & Pick<ServerDeps, "identity">,
  { admin, username }: UserActionInput,
): Promise<UserRecord> {
  const { database, identity } = deps;
  const user = await findUserByName(database, username);
  assertNotOwnAccount(admin, user);
  const { _id, identityId } = user;
  await clearHistoryOf(deps, { admin, userId: _id });
  const lockKeys = [ADMINS_STREAM, userStream(_id)];
  await commitAsAdmin(deps, { admin, lockKeys }, async (uow) => {
    const { session } = uow;
    const { deletedCount } = await database.users.deleteOne({ _id }, { session });
    if (deletedCount === 0) throw userNotFound();
    await deleteUserData(deps, uow, _id);
    uow.endSessions({ userId: _id.toString(), reason: "deleted" });
    uow.log({ type: "user:deleted", user: user.username });
    uow.addEvent(ADMINS_STREAM, "user:deleted", { username: user.username });
    await identity.deleteAccount({ identityId, session });
  });
  return user;
}

async function deleteUserData(
  { database }: AdminDeps,
  uow: UnitOfWork,
  userId: Types.ObjectId,
): Promise<void> {
  const { session } = uow;
  const left = await database.signals.find({ userId }).select({ _id: 1 }).session(session).lean();
  const signalIds = left.map((signal) => signal._id);
  // Running analyses continue, because other signals may have joined them.
  const analysisIds = await database.marketAnalyses.distinct("_id", { userId }, { session });
  const ids = { $in: analysisIds };
  await database.marketAnalyses.updateMany({ _id: ids }, { $unset: { userId: 1 } }, { session });
  await database.jobs.updateMany({ _id: ids }, { $unset: { "data.userId": 1 } }, { session });
  await deleteSignals(database, uow, { userId, signalIds });
  await removeUserFiles(database, uow, userId);
  await database.creditEntries.deleteMany({ userId }, { session });
  await database.dashboardTokens.deleteMany({ userId }, { session });
  await database.events.deleteMany({ stream: userStream(userId) }, { session });
}
