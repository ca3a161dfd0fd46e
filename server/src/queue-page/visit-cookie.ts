import type { AppContext } from "../app-context.ts";
import type { ServerDeps } from "../server-deps.ts";
import type { IssuedPass } from "./queue-passes.ts";

/** Name of the cookie. */
export const VISIT_COOKIE = "queue_visit";

/** Where the page of the job queue lives, and the only place that its cookie is sent to. */
export const QUEUE_PATH = "/admin/queue";

/** Hands a visit to the browser. Only requests that begin on this host's own pages carry it, and no script reads it. */
export function setVisitCookie(
  { settings }: Pick<ServerDeps, "settings">,
  ctx: AppContext,
  { secret, expiresAt }: IssuedPass,
): void {
  const secure = new URL(settings.VITE_API_URL).protocol === "https:";
  // TLS usually ends before us: what browsers see decides, not this connection.
  ctx.cookies.secure = secure;
  ctx.cookies.set(VISIT_COOKIE, secret, {
    ...{ path: QUEUE_PATH, httpOnly: true, sameSite: "strict", secure, overwrite: true },
    expires: expiresAt,
  });
}

/** The visit that a browser shows; undefined without one. */
export const visitCookie = (ctx: AppContext): string | undefined => ctx.cookies.get(VISIT_COOKIE);
