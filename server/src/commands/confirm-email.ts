import type { UserRecord } from "@shared/node/models/user.ts";
import { tellAccountUpdated } from "@shared/node/tell-account-updated.ts";
import type { UnitOfWork } from "@shared/outbox/commit.ts";
import type { ServerDeps } from "../server-deps.ts";

/**
 * Notes that a user's address is really his, and tells him and the administrators; nothing if it is noted already.
 * @returns the user after the change, or null if there was none to make
 */
export async function confirmEmail(
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
  if (user) await tellAccountUpdated(database, uow, { user, reason: "email-verified" });
  return user;
}
