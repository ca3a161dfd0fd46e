import type { UserRecord } from "@shared/node/models/user.ts";
import type { UnitOfWork } from "@shared/outbox/commit.ts";
import type { ServerDeps } from "../server-deps.ts";

/**
 * Ends a user's sessions because his password is another now, all or all but `keepSessionId`: their tokens are void
 * from the commit on, and their sockets are told.
 * @returns the user after the change, or null if he is gone
 */
export async function endOtherSessions(
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
