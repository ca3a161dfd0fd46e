import type { VerifyEmailRequest } from "@shared/contract/authentication.ts";
import type { Database } from "@shared/database/database.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { addAccountUpdatedEvents } from "@shared/domain/user-card.ts";
import { commit, type UnitOfWork } from "@shared/outbox/commit.ts";
import { ADMINS_STREAM } from "@shared/outbox/streams.ts";
import type { AccountDeps } from "./identity/identity-provider.ts";

export async function verifyEmail(deps: AccountDeps, { token }: VerifyEmailRequest): Promise<void> {
  const confirmation = await deps.identity.prepareConfirmation(token);
  const { identityId } = confirmation;
  const options = { lockKeys: ADMINS_STREAM, now: deps.now };
  await commit(deps.database, options, async (uow) => {
    await confirmation.store(uow.session);
    if (identityId !== null) await markEmailVerified(deps.database, uow, identityId);
  });
}

/** Emails a new verification link, unless the address is verified, here or at the identity provider. */
export async function resendVerification(
  deps: AccountDeps,
  user: UserRecord,
): Promise<"sent" | "confirmed"> {
  if (user.emailVerified) return "confirmed";
  const result = await deps.identity.sendVerification(user);
  if (result === "confirmed") {
    const options = { lockKeys: ADMINS_STREAM, now: deps.now };
    await commit(deps.database, options, (uow) =>
      markEmailVerified(deps.database, uow, user.identityId),
    );
  }
  return result;
}

/** Marks the address as verified. Returns the changed user, or null if it already was. */
export async function markEmailVerified(
  database: Database,
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
