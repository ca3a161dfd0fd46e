import { createHash, randomBytes } from "node:crypto";
import type { QueuePassKind, QueuePassRecord } from "@shared/node/models/queue-pass.ts";
import { queueNotOpen } from "../errors.ts";
import { assertAdmin } from "../policies/account-policies.ts";
import type { ServerDeps } from "../server-deps.ts";
import { type AuthenticatedSession, findSession } from "../sessions.ts";

const SECRET_BYTES = 32;
const LIFETIME_MS = { ticket: 60_000, visit: 30 * 60_000 } as const satisfies Record<
  QueuePassKind,
  number
>;

type PassDeps = Pick<ServerDeps, "database" | "now">;

/** A pass as its holder has it. */
export interface IssuedPass {
  secret: string;
  expiresAt: Date;
}

/** A ticket for the page of the job queue: good for a minute, and for one use. */
export const issueTicket = (deps: PassDeps, session: AuthenticatedSession): Promise<IssuedPass> =>
  issuePass(deps, "ticket", session);

/**
 * Uses a ticket up for a visit of 30 minutes. Of several that try at once, one succeeds.
 * @throws AppError unauthenticated if it is used, expired or made up, or its session has ended; not-admin
 */
export async function redeemTicket(deps: PassDeps, ticket: string): Promise<IssuedPass> {
  const { database, now } = deps;
  const record = await database.queuePasses
    .findOneAndDelete({ _id: hashOf(ticket), kind: "ticket", expiresAt: { $gt: now() } })
    .lean();
  if (!record) throw queueNotOpen();
  const session = await sessionOfPass(deps, record);
  assertAdmin(session.user);
  return issuePass(deps, "visit", session);
}

/**
 * The session that a visit belongs to, with its user as he is now.
 * @throws AppError unauthenticated if the visit or its session has ended
 */
export async function findVisit(deps: PassDeps, secret: string): Promise<AuthenticatedSession> {
  const { database, now } = deps;
  const record = await database.queuePasses
    .findOne({ _id: hashOf(secret), kind: "visit", expiresAt: { $gt: now() } })
    .lean();
  if (!record) throw queueNotOpen();
  return sessionOfPass(deps, record);
}

/** Ends all that was opened in a session, when its user signs out. */
export async function endPasses(
  { database }: PassDeps,
  { sessionId }: Pick<AuthenticatedSession, "sessionId">,
): Promise<void> {
  await database.queuePasses.deleteMany({ sessionId });
}

async function issuePass(
  { database, now }: PassDeps,
  kind: QueuePassKind,
  session: AuthenticatedSession,
): Promise<IssuedPass> {
  const { user, sessionId, expiresAt: sessionExpiresAt } = session;
  const secret = randomBytes(SECRET_BYTES).toString("base64url");
  const expiresAt = new Date(
    Math.min(now().getTime() + LIFETIME_MS[kind], sessionExpiresAt.getTime()),
  );
  const pass: QueuePassRecord = {
    ...{ _id: hashOf(secret), kind, userId: user._id, sessionId },
    ...{ sessionVersion: user.sessionVersion, sessionExpiresAt, expiresAt },
  };
  await database.queuePasses.create(pass);
  return { secret, expiresAt };
}

/** The session that a pass was made in, by the same check that its token would undergo. */
function sessionOfPass(deps: PassDeps, pass: QueuePassRecord): Promise<AuthenticatedSession> {
  return findSession(deps, {
    sub: pass.userId.toString(),
    sid: pass.sessionId,
    ver: pass.sessionVersion,
    exp: Math.floor(pass.sessionExpiresAt.getTime() / 1_000),
  });
}

const hashOf = (secret: string): string => createHash("sha256").update(secret).digest("hex");
