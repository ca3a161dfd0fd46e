import type { Me } from "@shared/contract/account.ts";
import type { SessionList } from "@shared/contract/authentication.ts";
import type { SessionEndReason } from "@shared/contract/events.ts";
import { readsAdminEvents } from "@shared/domain/access.ts";
import { findProofOf, presentProfile, presentProof } from "@shared/domain/user-card.ts";
import { commit } from "@shared/outbox/commit.ts";
import { ADMINS_STREAM, readStreamHead, userStream } from "@shared/outbox/streams.ts";
import { AppError } from "@shared/runtime/app-error.ts";
import type { Types } from "mongoose";
import { unauthenticated } from "../../http/errors.ts";
import { endSessions } from "../../http/session-ends.ts";
import { type AuthenticatedSession, isActive } from "../../http/sessions.ts";
import type { ServerDeps } from "../../server-deps.ts";
import { createSignPath, withSignedUrl } from "../files/signed-url.ts";
import { presentTwoFactor } from "./two-factor.ts";

/** The user's account. The stream positions are read first, so that later events are delivered twice rather than lost. */
export async function getCurrentUser(
  deps: Pick<ServerDeps, "database" | "settings" | "now">,
  userId: Types.ObjectId,
): Promise<Me> {
  const { database } = deps;
  const [own, admins] = await Promise.all([
    readStreamHead(database, userStream(userId)),
    readStreamHead(database, ADMINS_STREAM),
  ]);
  const user = await database.users.findById(userId).lean();
  if (!user) throw unauthenticated();
  const proof = await findProofOf(database, userId);
  return {
    ...presentProfile(user, deps.now()),
    payment_proof: proof && withSignedUrl(presentProof(proof), createSignPath(deps)),
    two_factor: presentTwoFactor(user),
    stream_positions: readsAdminEvents(deps.settings, user) ? { user: own, admins } : { user: own },
  };
}

export function listSessions(
  { now }: ServerDeps,
  { user, sessionId }: AuthenticatedSession,
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
  { database, now }: ServerDeps,
  { user, origin }: AuthenticatedSession,
  sessionId: string,
  reason: SessionEndReason,
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
    endSessions(uow, { userId: _id.toString(), reason, sessionId });
  });
}
