import type { VerifyEmailRequest } from "@shared/contract/account.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { addAccountUpdatedEvents } from "@shared/domain/user-card.ts";
import { commit, type UnitOfWork } from "@shared/outbox/commit.ts";
import { ADMINS_STREAM } from "@shared/outbox/streams.ts";
import type { ServerDeps } from "../../server-deps.ts";

/**
 * Confirms an address by the token that was mailed to it.
 * @throws AppError invalid-token
 */
export async function verifyEmail(
  deps: Pick<ServerDeps, "database" | "identity" | "now">,
  { token }: VerifyEmailRequest,
): Promise<void> {
  const confirmation = await deps.identity.prepareConfirmation(token);
  const { identityId } = confirmation;
  const options = { lockKeys: ADMINS_STREAM, now: deps.now };
  await commit(deps.database, options, async (uow) => {
    await confirmation.store(uow.session);
    if (identityId !== null) await markEmailVerified(deps, uow, identityId);
  });
}

/**
 * Asks a user once more to confirm his address. Where he has done so at the identity provider, that is noted instead.
 * @returns whether a mail was sent
 * @throws AppError unavailable if the mail is not accepted
 */
export async function resendVerification(
  deps: Pick<ServerDeps, "database" | "identity" | "now">,
  user: UserRecord,
): Promise<"sent" | "confirmed"> {
  if (user.emailVerified) return "confirmed";
  const result = await deps.identity.sendVerification(user);
  if (result === "confirmed") {
    const options = { lockKeys: ADMINS_STREAM, now: deps.now };
    await commit(deps.database, options, (uow) => markEmailVerified(deps, uow, user.identityId));
  }
  return result;
}

/**
 * Notes that a user's address is really his, and tells him and the administrators; nothing if it is noted already.
 * @returns the user after the change, or null if there was none to make
 */
export async function markEmailVerified(
  { database }: Pick<ServerDeps, "database">,
  uow: UnitOfWork,
  identityId: string,
): Promise<UserRecord | null> {
  const user = await database.users
    .findOneAndUpdate(
      { identityId, emailVerified: false },
      { $set: { emailVerified: true } },
      { session: uow.session, returnDocument: "after" },
    )
    .lean();
  if (user) await addAccountUpdatedEvents(database, uow, { user, reason: "email-verified" });
  return user;
}
