import type { SessionList } from "@shared/contract/account-requests.ts";
import type { SessionEndReason } from "@shared/contract/events.ts";
import { commit } from "@shared/outbox/commit.ts";
import { AppError } from "@shared/runtime/app-error.ts";
import { type AuthenticatedSession, isActive } from "../../http/sessions.ts";
import type { ServerDeps } from "../../server-deps.ts";

export function listSessions(
  { now }: Pick<ServerDeps, "now">,
  { user, sessionId }: Pick<AuthenticatedSession, "user" | "sessionId">,
): SessionList {
  const sessions = user.sessions
    .filter((session) => isActive(session, now()))
    .sort((one, other) => other.lastSeenAt.getTime() - one.lastSeenAt.getTime())
    .map(({ id, createdAt, lastSeenAt, userAgent }) => ({
      id,
      created_at: createdAt.toISOString(),
      last_seen_at: lastSeenAt.toISOString(),
      user_agent: userAgent,
      current: id === sessionId,
    }));
  return { sessions };
}

export async function endSession(
  { database, now, origin }: Pick<ServerDeps, "database" | "now" | "origin">,
  { user }: Pick<AuthenticatedSession, "user">,
  { sessionId, reason }: { sessionId: string; reason: SessionEndReason },
): Promise<void> {
  const { _id } = user;
  await commit(database, { lockKeys: `sessions:${_id}`, now, origin }, async (uow) => {
    const { modifiedCount } = await database.users.updateOne(
      { _id, "sessions.id": sessionId },
      { $pull: { sessions: { id: sessionId } } },
      { session: uow.session },
    );
    if (modifiedCount === 0) throw new AppError("not-found", "This session has already ended.");
    await database.dashboardTokens.deleteMany({ sessionId }, { session: uow.session });
    uow.log({ type: "session:ended", user: user.username, details: { reason } });
    uow.endSessions({ userId: _id.toString(), reason, sessionId });
  });
}
