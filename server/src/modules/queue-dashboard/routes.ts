import { readdir, readFile } from "node:fs/promises";
import { extname } from "node:path";
import { Readable } from "node:stream";
import type { JobAction } from "@shared/contract/events.ts";
import { adminRoutes } from "@shared/contract/routes/admin-routes.ts";
import {
  type JobsChanged,
  queueDashboardRoutes,
} from "@shared/contract/routes/queue-dashboard-routes.ts";
import { ADMINS_STREAM } from "@shared/outbox/streams.ts";
import { AppError } from "@shared/runtime/app-error.ts";
import { html } from "@shared/runtime/html.ts";
import { assertAdmin } from "../../http/access.ts";
import { type AppContext, type AppMiddleware, sessionOf } from "../../http/context.ts";
import { notFound } from "../../http/errors.ts";
import { type BoundRoute, handle } from "../../http/router.ts";
import type { ServerDeps } from "../../server-deps.ts";
import { type Admin, type AdminDeps, commitAsAdmin } from "../admin/security-log.ts";
import {
  dashboardCookie,
  findDashboardSession,
  issueTicket,
  QUEUE_PATH,
  redeemTicket,
  setDashboardCookie,
} from "./dashboard-access.ts";

/**
 * The queue dashboard: the page of Agendash, and its requests through Agendash's own controller. Agendash's middlewares
 * are not used: they expose database errors, do not validate input, and allow jobs to be created.
 */
export const createQueueDashboardRoutes = (deps: ServerDeps): BoundRoute[] => [
  handle(adminRoutes.createQueueTicket, async (_, ctx) => {
    const { secret, expiresAt } = await issueTicket(deps, sessionOf(ctx));
    return { ticket: secret, expires_at: expiresAt.toISOString() };
  }),
  handle(queueDashboardRoutes.getPage, (_, ctx) => showPage(ctx), {
    before: [showErrorsAsHtml, redeem(deps)],
  }),
  handle(queueDashboardRoutes.getAsset, ({ params }, ctx) => sendAsset(ctx, params.file)),
  handle(queueDashboardRoutes.listJobs, ({ query }) => deps.queueDashboard.list(query)),
  handle(queueDashboardRoutes.getTotals, () => deps.queueDashboard.totals()),
  handle(queueDashboardRoutes.getEvents, (_, ctx) => {
    const secret = dashboardCookie(ctx) ?? "";
    ctx.type = "text/event-stream";
    return Readable.from(deps.queueDashboard.events(() => isSessionValid(deps, secret)));
  }),
  handle(
    queueDashboardRoutes.changeJobs,
    ({ params, body }, ctx) =>
      changeJobs(deps, { admin: sessionOf(ctx).user, action: params.action, jobIds: body.jobIds }),
    { check: (ctx) => assertSameOrigin(deps, ctx) },
  ),
];

async function isSessionValid(deps: ServerDeps, secret: string): Promise<boolean> {
  try {
    assertAdmin((await findDashboardSession(deps, secret)).user);
    return true;
  } catch (error) {
    deps.logger.info({ err: error }, "a queue dashboard was closed");
    return false;
  }
}

/**
 * Changes jobs of the queue. The entry of the security log is written first, because Agenda does not take part in transactions: the last
 * change that the log names may have failed, but there is no change that it does not name.
 * @throws AppError not-found if none of the jobs is still in the queue
 */
async function changeJobs(
  deps: AdminDeps & Pick<ServerDeps, "queueDashboard">,
  input: { admin: Admin; action: JobAction; jobIds: readonly string[] },
): Promise<JobsChanged> {
  const { admin, action, jobIds } = input;
  const found = await deps.queueDashboard.namesOf(jobIds);
  if (found.length === 0) {
    throw new AppError("not-found", "These jobs are no longer in the queue.");
  }
  const names = [...new Set(found)].toSorted().join(", ");
  const details = { action, jobs: found.length, names };
  await commitAsAdmin(deps, { admin, lockKeys: ADMINS_STREAM }, async (uow) => {
    uow.log({ type: "queue:changed", user: null, details });
    uow.addEvent(ADMINS_STREAM, "queue:changed", details);
  });
  return deps.queueDashboard.change(action, jobIds);
}

/**
 * Rejects requests from pages of other origins, since browsers send the cookie with them too. The own origin is the public
 * URL, or the requested host, because the server may have several addresses and TLS may end at a proxy.
 */
function assertSameOrigin({ settings }: Pick<ServerDeps, "settings">, ctx: AppContext): void {
  const origin = ctx.get("Origin");
  const host = URL.canParse(origin) ? new URL(origin).host : "";
  const ownHosts = [new URL(settings.VITE_API_URL).host, ctx.host];
  if (host === "" || !ownHosts.includes(host)) {
    throw new AppError("foreign-origin", "This is only possible on the queue dashboard.");
  }
}

/** Exchanges a ticket for a dashboard session, and redirects to a URL without the ticket. */
function redeem(deps: ServerDeps): AppMiddleware {
  return async (ctx, next) => {
    const { ticket } = ctx.query;
    if (ticket === undefined) return next();
    setDashboardCookie(deps, ctx, await redeemTicket(deps, String(ticket)));
    ctx.status = 303;
    ctx.redirect(`${QUEUE_PATH}/`);
  };
}

/** Agendash loads its own files and calls its own API. All other pages of this host run no scripts. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

async function showPage(ctx: AppContext): Promise<string | undefined> {
  if (!ctx.path.endsWith("/")) {
    // The page refers to its files by relative URLs.
    ctx.redirect(`${QUEUE_PATH}/`);
    return undefined;
  }
  ctx.set("Content-Security-Policy", PAGE_POLICY);
  ctx.type = "html";
  return readPage();
}

/** The built pages of Agendash, which load nothing from elsewhere. */
const FOLDER = new URL("../../../../node_modules/agendash/public/", import.meta.url);
const ASSETS = new URL("assets/", FOLDER);

/** Hides the controls of Agendash that this queue does not support. */
const OWN_STYLE = "queue.css";

/** The page itself; its scripts and styles are `./assets/...` beside it. */
export async function readPage(): Promise<string> {
  const page = await readFile(new URL("index.html", FOLDER), "utf8");
  return page.replace("</head>", `<link rel="stylesheet" href="./assets/${OWN_STYLE}"></head>`);
}

async function sendAsset(ctx: AppContext, name: string): Promise<Buffer> {
  ctx.type = extname(name);
  if (name === OWN_STYLE) return readFile(new URL(OWN_STYLE, import.meta.url));
  const names = await readdir(ASSETS);
  if (!names.includes(name)) throw notFound();
  // Agendash names its files after their content.
  ctx.set("Cache-Control", "private, max-age=31536000, immutable");
  return readFile(new URL(name, ASSETS));
}

/**
 * Shows a browser a page if it may not see the dashboard. "Try again" helps if the browser came from another site and
 * therefore did not send the cookie with its first request.
 */
const showErrorsAsHtml: AppMiddleware = async (ctx, next) => {
  try {
    await next();
  } catch (error) {
    const isRefusal = error instanceof AppError && (error.status === 401 || error.status === 403);
    if (!isRefusal || ctx.accepts("json", "html") !== "html") throw error;
    ctx.status = error.status;
    ctx.type = "html";
    ctx.body = html`<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Queue</title></head>
<body><main><h1>Queue</h1><p>${error.detail}</p><p><a href="${QUEUE_PATH}/">Try again</a></p></main></body>
</html>`.text;
  }
};
