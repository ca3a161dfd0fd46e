import type { AccountDeletion } from "@shared/contract/authentication.ts";
import type { Database } from "@shared/database/database.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { SEND_EMAIL } from "@shared/domain/email-work.ts";
import { PASS_ON } from "@shared/domain/passed-on.ts";
import { ANNOUNCE_APPROVAL, VERIFY_PAYMENT } from "@shared/domain/payment-verification.ts";
import { commit, type UnitOfWork } from "@shared/outbox/commit.ts";
import { deleteStream } from "@shared/outbox/event-log.ts";
import { ADMINS_STREAM, userStream } from "@shared/outbox/streams.ts";
import { AppError } from "@shared/runtime/app-error.ts";
import type { Types } from "mongoose";
import { assertNotOwnAccount } from "../../http/access.ts";
import { userNotFound } from "../../http/errors.ts";
import { endSessions } from "../../http/session-ends.ts";
import type { AuthenticatedSession } from "../../http/sessions.ts";
import type { AccountDeps } from "../accounts/identity/identity-provider.ts";
import { reauthenticate } from "../accounts/two-factor.ts";
import { removeUserFiles } from "../files/stored-files.ts";
import { asAdmin, type CommitAction, clearHistoryOf, deleteSignals } from "./clear-history.ts";
import { assertOtherAdmin, findUserByName } from "./manage-users.ts";

export async function deleteUser(
  deps: AccountDeps,
  admin: AuthenticatedSession,
  username: string,
): Promise<UserRecord> {
  const user = await findUserByName(deps.database, username);
  assertNotOwnAccount(admin.user, user);
  await removeUser(deps, user, asAdmin(deps, admin));
  return user;
}

/** Deletes the caller's own account. */
export async function deleteOwnAccount(
  deps: AccountDeps,
  session: AuthenticatedSession,
  { username, ...credentials }: AccountDeletion,
): Promise<void> {
  const { database, now } = deps;
  const { user, origin } = session;
  if (username.toLowerCase() !== user.usernameKey) {
    const message = "This is not your username.";
    throw new AppError("invalid-input", message, { errors: [{ field: "username", message }] });
  }
  await reauthenticate(deps, session, credentials);
  if (user.role === "admin") await assertOtherAdmin(database, user._id);
  await removeUser(deps, user, (lockKeys, apply) =>
    commit(database, { lockKeys, actor: user.username, now, origin }, apply),
  );
}

/**
 * Deletes a user with all data and sessions; the name becomes available again. The history, which may be long, is deleted
 * first. If the rest fails, the user still exists and can be deleted again.
 */
async function removeUser(
  { database, identity }: AccountDeps,
  user: UserRecord,
  commitAction: CommitAction,
): Promise<void> {
  const { _id, identityId, username } = user;
  await clearHistoryOf(database, _id, commitAction);
  await commitAction([ADMINS_STREAM, userStream(_id)], async (uow) => {
    const { session } = uow;
    const deleted = await database.users.findOneAndDelete({ _id }, { session }).lean();
    if (!deleted) throw userNotFound();
    if (deleted.role === "admin") await assertOtherAdmin(database, _id, session);
    await deleteUserData(database, uow, _id);
    endSessions(uow, { userId: _id.toString(), reason: "deleted" });
    uow.log({ type: "user:deleted", user: username });
    uow.addEvent(ADMINS_STREAM, "user:deleted", { username });
    await identity.deleteAccount({ identityId, session });
  });
}

async function deleteUserData(
  database: Database,
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
  await deleteSignals(database, uow, userId, signalIds);
  await removeUserFiles(database, uow, userId);
  await database.creditEntries.deleteMany({ userId }, { session });
  await database.billingPeriods.deleteMany({ userId }, { session });
  const ofUser = {
    name: { $in: [SEND_EMAIL, VERIFY_PAYMENT, ANNOUNCE_APPROVAL, PASS_ON] },
    "data.userId": userId.toString(),
  };
  await database.jobs.deleteMany(ofUser, { session });
  await database.watchlistItems.deleteMany({ userId }, { session });
  await database.channels.deleteMany({ userId }, { session });
  await database.deliveries.deleteMany({ userId }, { session });
  await database.dashboardTokens.deleteMany({ userId }, { session });
  await deleteStream(database, session, userStream(userId));
}
