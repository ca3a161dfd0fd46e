import { createHash, randomBytes } from "node:crypto";
import type {
  DashboardTokenKind,
  DashboardTokenRecord,
} from "@shared/database/models/dashboard-token.ts";
import type { RequestOrigin } from "@shared/outbox/security-log.ts";
import type { Settings } from "@shared/runtime/settings.ts";
import { assertAdmin, assertEnrolled } from "../../http/access.ts";
import type { AppContext, AppMiddleware } from "../../http/context.ts";
import { dashboardNotOpen } from "../../http/errors.ts";
import { type AuthenticatedSession, resumeSession } from "../../http/sessions.ts";
import type { ServerDeps } from "../../server-deps.ts";
import { addLogEntry } from "../admin/security-log.ts";

const SECRET_BYTES = 32;
const LIFETIME_MS = { ticket: 60_000, session: 30 * 60_000 } as const satisfies Record<
  DashboardTokenKind,
  number
>;

/** A token as its holder has it. Only its hash is stored. */
interface AccessToken {
  secret: string;
  expiresAt: Date;
}

/** Creates a ticket for the queue dashboard. It is valid once, for one minute. */
export const issueTicket = (
  deps: ServerDeps,
  session: AuthenticatedSession,
): Promise<AccessToken> => issueToken(deps, "ticket", session);

/** Exchanges a ticket for a dashboard session of 30 minutes. Of several concurrent attempts, one succeeds. */
export async function redeemTicket(
  deps: ServerDeps,
  ticket: string,
  origin: RequestOrigin,
): Promise<AccessToken> {
  const { database, now } = deps;
  const record = await database.dashboardTokens
    .findOneAndDelete({ _id: hashOf(ticket), kind: "ticket", expiresAt: { $gt: now() } })
    .lean();
  if (!record) throw dashboardNotOpen();
  const session = await sessionOfToken(deps, record, origin);
  const actor = session.user.username;
  await addLogEntry(deps, origin, { type: "queue:opened", user: null, actor });
  return issueToken(deps, "session", session);
}

/** The user session that a dashboard session was opened from. Its user is still an administrator with a second factor. */
export async function findDashboardSession(
  deps: ServerDeps,
  ctx: AppContext,
): Promise<AuthenticatedSession> {
  const { database, now } = deps;
  const secret = ctx.cookies.get(dashboardCookie(deps.settings).name);
  if (secret === undefined) throw dashboardNotOpen();
  const record = await database.dashboardTokens
    .findOne({ _id: hashOf(secret), kind: "session", expiresAt: { $gt: now() } })
    .lean();
  if (!record) throw dashboardNotOpen();
  return sessionOfToken(deps, record, ctx.state.origin);
}

async function issueToken(
  { database, now }: ServerDeps,
  kind: DashboardTokenKind,
  session: AuthenticatedSession,
): Promise<AccessToken> {
  const { user, sessionId, expiresAt: sessionExpiresAt } = session;
  const secret = randomBytes(SECRET_BYTES).toString("base64url");
  const expiresAt = new Date(
    Math.min(now().getTime() + LIFETIME_MS[kind], sessionExpiresAt.getTime()),
  );
  const token: DashboardTokenRecord = {
    _id: hashOf(secret),
    kind,
    userId: user._id,
    sessionId,
    expiresAt,
  };
  await database.dashboardTokens.create(token);
  return { secret, expiresAt };
}

async function sessionOfToken(
  deps: ServerDeps,
  { userId, sessionId }: DashboardTokenRecord,
  origin: RequestOrigin,
): Promise<AuthenticatedSession> {
  const session = await resumeSession(deps, userId.toString(), sessionId, origin);
  assertAdmin(session.user);
  assertEnrolled(deps.settings, session.user);
  return session;
}

const hashOf = (secret: string): string => createHash("sha256").update(secret).digest("hex");

export const QUEUE_PATH = "/admin/queue";

/**
 * With TLS, the name makes browsers refuse a cookie that another host or a page without TLS has set. It requires the path
 * `/`. TLS usually ends at a proxy, so the public URL decides.
 */
export function dashboardCookie({ VITE_API_URL }: Pick<Settings, "VITE_API_URL">) {
  const secure = VITE_API_URL.startsWith("https:");
  return secure
    ? { name: "__Host-queue_session", path: "/", secure }
    : { name: "queue_session", path: publicQueuePath({ VITE_API_URL }), secure };
}

/** The path in browsers: a proxy may remove the first part. */
export const publicQueuePath = ({ VITE_API_URL }: Pick<Settings, "VITE_API_URL">): string =>
  new URL(VITE_API_URL + QUEUE_PATH).pathname;

/** Sets the cookie of a dashboard session. Only requests from pages of this host carry it, and scripts cannot read it. */
export function setDashboardCookie(
  { settings }: ServerDeps,
  ctx: AppContext,
  { secret, expiresAt }: AccessToken,
): void {
  const { name, path, secure } = dashboardCookie(settings);
  ctx.cookies.secure = secure;
  ctx.cookies.set(name, secret, {
    path,
    secure,
    httpOnly: true,
    sameSite: "strict",
    overwrite: true,
    expires: expiresAt,
  });
}

/**
 * Requires a dashboard session, and puts the user session that it was opened from into `ctx.state`. A bearer token is not
 * accepted.
 */
export function requireDashboardAccess(deps: ServerDeps): AppMiddleware {
  return async (ctx, next) => {
    ctx.state.session = await findDashboardSession(deps, ctx);
    await next();
  };
}
