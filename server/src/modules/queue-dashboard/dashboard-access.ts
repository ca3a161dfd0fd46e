import { createHash, randomBytes } from "node:crypto";
import type { DashboardTokenKind, DashboardTokenRecord } from "@shared/database/models/identity.ts";
import { assertAdmin } from "../../http/access.ts";
import type { AppContext, AppMiddleware } from "../../http/context.ts";
import { dashboardNotOpen } from "../../http/errors.ts";
import { type AuthenticatedSession, findSession } from "../../http/sessions.ts";
import type { ServerDeps } from "../../server-deps.ts";

const SECRET_BYTES = 32;
const LIFETIME_MS = { ticket: 60_000, visit: 30 * 60_000 } as const satisfies Record<
  DashboardTokenKind,
  number
>;

type AccessDeps = Pick<ServerDeps, "database" | "now">;

/** A pass as its holder has it. */
interface AccessToken {
  secret: string;
  expiresAt: Date;
}

/** A ticket for the page of the job queue: good for a minute, and for one use. */
export const issueTicket = (
  deps: AccessDeps,
  session: AuthenticatedSession,
): Promise<AccessToken> => issueToken(deps, "ticket", session);

/**
 * Uses a ticket up for a visit of 30 minutes. Of several that try at once, one succeeds.
 * @throws AppError unauthenticated if it is used, expired or made up, or its session has ended; not-admin
 */
export async function redeemTicket(deps: AccessDeps, ticket: string): Promise<AccessToken> {
  const { database, now } = deps;
  const record = await database.queuePasses
    .findOneAndDelete({ _id: hashOf(ticket), kind: "ticket", expiresAt: { $gt: now() } })
    .lean();
  if (!record) throw dashboardNotOpen();
  const session = await sessionOfToken(deps, record);
  assertAdmin(session.user);
  return issueToken(deps, "visit", session);
}

/**
 * The session that a visit belongs to, with its user as he is now.
 * @throws AppError unauthenticated if the visit or its session has ended
 */
export async function findDashboardSession(
  deps: AccessDeps,
  secret: string,
): Promise<AuthenticatedSession> {
  const { database, now } = deps;
  const record = await database.queuePasses
    .findOne({ _id: hashOf(secret), kind: "visit", expiresAt: { $gt: now() } })
    .lean();
  if (!record) throw dashboardNotOpen();
  return sessionOfToken(deps, record);
}

/** Ends all that was opened in a session, when its user signs out. */
export async function revokeAccess(
  { database }: AccessDeps,
  { sessionId }: Pick<AuthenticatedSession, "sessionId">,
): Promise<void> {
  await database.queuePasses.deleteMany({ sessionId });
}

async function issueToken(
  { database, now }: AccessDeps,
  kind: DashboardTokenKind,
  session: AuthenticatedSession,
): Promise<AccessToken> {
  const { user, sessionId, expiresAt: sessionExpiresAt } = session;
  const secret = randomBytes(SECRET_BYTES).toString("base64url");
  const expiresAt = new Date(
    Math.min(now().getTime() + LIFETIME_MS[kind], sessionExpiresAt.getTime()),
  );
  const pass: DashboardTokenRecord = {
    ...{ _id: hashOf(secret), kind, userId: user._id, sessionId },
    ...{ sessionVersion: user.sessionVersion, sessionExpiresAt, expiresAt },
  };
  await database.queuePasses.create(pass);
  return { secret, expiresAt };
}

/** The session that a pass was made in, by the same check that its token would undergo. */
function sessionOfToken(
  deps: AccessDeps,
  pass: DashboardTokenRecord,
): Promise<AuthenticatedSession> {
  return findSession(deps, {
    sub: pass.userId.toString(),
    sid: pass.sessionId,
    ver: pass.sessionVersion,
    exp: Math.floor(pass.sessionExpiresAt.getTime() / 1_000),
  });
}

const hashOf = (secret: string): string => createHash("sha256").update(secret).digest("hex");

/** Name of the cookie. */
export const DASHBOARD_COOKIE = "queue_visit";

/** Where the page of the job queue lives, and the only place that its cookie is sent to. */
export const QUEUE_PATH = "/admin/queue";

/** Hands a visit to the browser. Only requests that begin on this host's own pages carry it, and no script reads it. */
export function setDashboardCookie(
  { settings }: Pick<ServerDeps, "settings">,
  ctx: AppContext,
  { secret, expiresAt }: AccessToken,
): void {
  const secure = new URL(settings.VITE_API_URL).protocol === "https:";
  // TLS usually ends before us: what browsers see decides, not this connection.
  ctx.cookies.secure = secure;
  ctx.cookies.set(DASHBOARD_COOKIE, secret, {
    ...{ path: QUEUE_PATH, httpOnly: true, sameSite: "strict", secure, overwrite: true },
    expires: expiresAt,
  });
}

/** The visit that a browser shows; undefined without one. */
export const dashboardCookie = (ctx: AppContext): string | undefined =>
  ctx.cookies.get(DASHBOARD_COOKIE);

/**
 * Lets only browsers pass in which an administrator has opened the job queue, and leaves the session that he opened it
 * from in `ctx.state`. A token does not do: the page's requests are those of a browser.
 */
export function requireDashboardAccess(deps: Pick<ServerDeps, "database" | "now">): AppMiddleware {
  return async (ctx, next) => {
    const secret = dashboardCookie(ctx);
    if (secret === undefined) throw dashboardNotOpen();
    ctx.state.session = await findDashboardSession(deps, secret);
    await next();
  };
}
