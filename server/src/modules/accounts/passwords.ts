import type {
  ChangePasswordRequest,
  ForgotPasswordRequest,
  ResetPasswordRequest,
} from "@shared/contract/account.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { commit, type UnitOfWork } from "@shared/outbox/commit.ts";
import { wrongPassword } from "../../http/errors.ts";
import type { AuthenticatedSession } from "../../http/sessions.ts";
import type { ServerDeps } from "../../server-deps.ts";

/**
 * Has a link sent that sets a new password, if somebody has this address. Only the look-up is waited for, which
 * costs the same for every address: neither the answer nor its time tells whether there is an account.
 */
export async function forgotPassword(
  deps: Pick<ServerDeps, "database" | "identity" | "background">,
  { email }: ForgotPasswordRequest,
): Promise<void> {
  const user = await deps.database.users.findOne({ emailKey: email.toLowerCase() }).lean();
  deps.background.run("sending a password reset", () =>
    deps.identity.sendPasswordReset({ email: user?.email ?? email, user }),
  );
}

/**
 * Sets a new password by the token of a reset mail, and ends all sessions of the user.
 * @throws AppError invalid-token
 */
export async function resetPassword(
  deps: Pick<ServerDeps, "database" | "identity" | "now">,
  { token, new_password: newPassword }: ResetPasswordRequest,
): Promise<void> {
  const reset = await deps.identity.prepareReset({ token, newPassword });
  const { identityId } = reset;
  const options = { lockKeys: `identity:${identityId}`, now: deps.now };
  await commit(deps.database, options, async (uow) => {
    await reset.store(uow.session);
    if (identityId !== null) await revokeSessions(deps, uow, { identityId });
  });
}

/**
 * Changes a user's password, and ends all his sessions but the one that asked.
 * @throws AppError wrong-password
 */
export async function changePassword(
  deps: Pick<ServerDeps, "database" | "identity" | "now">,
  { user, sessionId }: Pick<AuthenticatedSession, "user" | "sessionId">,
  request: ChangePasswordRequest,
): Promise<void> {
  const { identityId, email } = user;
  const { current_password: currentPassword, new_password: newPassword } = request;
  const attempt = { identityId, email, currentPassword, newPassword };
  const prepared = await deps.identity.prepareChange(attempt);
  if (!prepared) throw wrongPassword();
  const options = { lockKeys: `identity:${identityId}`, now: deps.now };
  await commit(deps.database, options, async (uow) => {
    await prepared.store(uow.session);
    await revokeSessions(deps, uow, { identityId, keepSessionId: sessionId });
  });
}

/**
 * Ends a user's sessions because his password is another now, all or all but `keepSessionId`: their tokens are void
 * from the commit on, and their sockets are told.
 * @returns the user after the change, or null if he is gone
 */
export async function revokeSessions(
  { database }: Pick<ServerDeps, "database">,
  uow: UnitOfWork,
  { identityId, keepSessionId }: { identityId: string; keepSessionId?: string },
): Promise<UserRecord | null> {
  const user = await database.users
    .findOneAndUpdate(
      { identityId },
      { $inc: { sessionVersion: 1 }, $set: { keptSessionId: keepSessionId ?? null } },
      { session: uow.session, returnDocument: "after" },
    )
    .lean();
  if (!user) return null;
  uow.endSessions({
    userId: user._id.toString(),
    reason: "password-changed",
    ...(keepSessionId !== undefined && { exceptSessionId: keepSessionId }),
  });
  return user;
}
