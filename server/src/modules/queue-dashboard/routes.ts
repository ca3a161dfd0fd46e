import { readFile } from "node:fs/promises";
import { extname } from "node:path";
import { Readable } from "node:stream";
import type { JobAction } from "@shared/contract/events/event-data.ts";
import { adminRoutes } from "@shared/contract/routes/admin-routes.ts";
import {
  type JobsChanged,
  queueDashboardRoutes,
} from "@shared/contract/routes/queue-dashboard-routes.ts";
import { ADMINS_STREAM } from "@shared/outbox/streams.ts";
import { AppError } from "@shared/runtime/app-error.ts";
import { html } from "@shared/runtime/html.ts";
import type { Next } from "koa";
import type { AppContext } from "../../http/context.ts";
import { NO_FRAMES_OR_FORMS } from "../../http/create-http-server.ts";
import { notFound } from "../../http/errors.ts";
import { type BoundRoute, type Call, handle } from "../../http/router.ts";
import type { AuthenticatedSession } from "../../http/sessions.ts";
import type { ServerDeps } from "../../server-deps.ts";
import { commitAsAdmin } from "../admin/security-log.ts";
import {
  findDashboardSession,
  issueTicket,
  publicQueuePath,
  redeemTicket,
  setDashboardCookie,
} from "./dashboard-access.ts";
import { isNeeded, type QueueDashboardDeps } from "./queue-dashboard.ts";

/**
 * The queue dashboard: its page, and the page's requests, which Agendash's controller answers. Agendash's middlewares are not
 * used: they expose database errors, do not validate input, and allow jobs to be created.
 */
export const queueDashboardHandlers: BoundRoute<QueueDashboardDeps>[] = [
  handle(adminRoutes.createQueueTicket, async (_, { deps, session }) => {
    const { secret, expiresAt } = await issueTicket(deps, session);
    return { ticket: secret, expires_at: expiresAt.toISOString() };
  }),
  handle(queueDashboardRoutes.openPage, ({ body }, call) => openPage(call, body.ticket), {
    before: [showErrorsAsHtml],
  }),
  handle(queueDashboardRoutes.getPage, (_, { ctx, deps }) => showPage(ctx, deps), {
    before: [showErrorsAsHtml],
  }),
  handle(queueDashboardRoutes.getAsset, ({ params }, { ctx }) => sendAsset(ctx, params.file)),
  handle(queueDashboardRoutes.listJobs, ({ query }, { deps }) => deps.queueDashboard.list(query)),
  handle(queueDashboardRoutes.getTotals, (_, { deps }) => deps.queueDashboard.totals()),
  handle(queueDashboardRoutes.getEvents, (_, { ctx, deps }) => {
    ctx.type = "text/event-stream";
    return Readable.from(deps.queueDashboard.events(() => isSessionValid(deps, ctx)));
  }),
  handle(
    queueDashboardRoutes.changeJobs,
    ({ params, body }, { deps, session }) => changeJobs(deps, session, params.action, body.jobIds),
    { check: assertSameOrigin },
  ),
];

async function isSessionValid(deps: ServerDeps, ctx: AppContext): Promise<boolean> {
  try {
    await findDashboardSession(deps, ctx);
    return true;
  } catch (error) {
    deps.logger.info({ err: error }, "a queue dashboard was closed");
    return false;
  }
}

/**
 * Changes jobs of the queue. The entry of the security log is written first, because Agenda does not take part in
 * transactions: the last change that the log names may have failed, but there is no change that it does not name.
 */
async function changeJobs(
  deps: QueueDashboardDeps,
  admin: AuthenticatedSession,
  action: JobAction,
  jobIds: readonly string[],
): Promise<JobsChanged> {
  const found = await deps.queueDashboard.find(jobIds);
  if (found.length === 0) {
    throw new AppError("not-found", "These jobs are no longer in the queue.");
  }
  const needed = found.find(isNeeded);
  if (action === "delete" && needed) {
    const detail = `The product needs ${needed.name}. It can be paused, but not deleted.`;
    throw new AppError("invalid-input", detail);
  }
  const names = [...new Set(found.map(({ name }) => name))].toSorted().join(", ");
  const details = { action, jobs: found.length, names };
  await commitAsAdmin(deps, admin, ADMINS_STREAM, async (uow) => {
    uow.log({ type: "queue:changed", user: null, details });
    uow.addEvent(ADMINS_STREAM, "queue:changed", details);
  });
  return deps.queueDashboard.change(action, jobIds);
}

/**
 * The own origin is the public one, or the requested one because the server may have several addresses. Browsers send the
 * cookie with requests from other origins of the same site too.
 */
function assertSameOrigin({ ctx, deps }: Call): void {
  assertOrigin(ctx, [new URL(deps.settings.VITE_API_URL).origin, `${ctx.protocol}://${ctx.host}`]);
}

function assertOrigin(ctx: AppContext, allowed: readonly string[]): void {
  if (allowed.includes(ctx.get("Origin"))) return;
  const detail = "This is only possible on the admin page and the queue dashboard.";
  throw new AppError("foreign-origin", detail);
}

/**
 * Exchanges a ticket for a dashboard session. Only a form of the web pages may do that, so that no other page can sign a
 * browser in to the session of another administrator.
 */
async function openPage({ ctx, deps, origin }: Call, ticket: string): Promise<undefined> {
  const webOrigins = deps.settings.CLIENT_ORIGIN.map((address) => new URL(address).origin);
  assertOrigin(ctx, webOrigins);
  setDashboardCookie(deps, ctx, await redeemTicket(deps, ticket, origin));
  ctx.redirect(`${publicQueuePath(deps.settings)}/`);
  return undefined;
}

/** The page loads its own files and calls its own API, and writes no HTML. All other pages of this host run no scripts. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
  NO_FRAMES_OR_FORMS,
].join("; ");

function showPage(ctx: AppContext, deps: ServerDeps): string | undefined {
  if (!ctx.path.endsWith("/")) {
    // The page refers to its files by relative URLs.
    ctx.redirect(`${publicQueuePath(deps.settings)}/`);
    return undefined;
  }
  ctx.set("Content-Security-Policy", PAGE_POLICY);
  ctx.type = "html";
  const [webPages] = deps.settings.CLIENT_ORIGIN;
  return readPage(new URL("/admin/system", webPages).href);
}

/**
 * The page itself; its script and style are `./assets/...` beside it.
 * @param systemPage the page of the web app that opens it
 */
export const readPage = (systemPage: string): string =>
  html`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Queue</title>
<link rel="stylesheet" href="./assets/queue.css">
<script type="module" src="./assets/queue-page.mjs"></script>
</head>
<body>
<main>
<header>
<a href="${systemPage}">Back to System</a>
<h1>Queue</h1><span id="live" role="status">Loading...</span><p id="message" role="status"></p>
</header>
<div class="filters">
<fieldset class="filter" id="states" aria-label="State"></fieldset>
<select id="kind" aria-label="Kind"></select>
</div>
<div class="card" tabindex="0" role="region" aria-label="Jobs">
<table id="table" hidden>
<thead><tr><th scope="col">Job</th><th scope="col">State</th><th scope="col">Next run</th><th scope="col" class="wide">Last finished</th><th scope="col">Failures</th><th scope="col"><span aria-label="Actions"></span></th></tr></thead>
<tbody id="jobs"></tbody>
</table>
<p id="empty" hidden>No jobs.</p>
</div>
<nav aria-label="Pages"><span id="range"></span><button type="button" id="previous" disabled>Previous</button><button type="button" id="next" disabled>Next</button></nav>
</main>
<dialog id="question" aria-labelledby="question-title" aria-describedby="question-text">
<h2 id="question-title"></h2>
<p id="question-text"></p>
<div><button type="button" id="cancel">Cancel</button><button type="button" id="confirm"></button></div>
</dialog>
</body>
</html>`.text;

const ASSETS: readonly string[] = ["queue.css", "queue-page.mjs"];

async function sendAsset(ctx: AppContext, name: string): Promise<Buffer> {
  if (!ASSETS.includes(name)) throw notFound();
  ctx.type = extname(name);
  return readFile(new URL(name, import.meta.url));
}

/**
 * Shows a browser a page if it may not see the dashboard. "Try again" helps if the browser came from another site and
 * therefore did not send the cookie with its first request.
 */
async function showErrorsAsHtml(ctx: AppContext, next: Next): Promise<void> {
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
<body><main><h1>Queue</h1><p>${error.detail}</p><p><a href="">Try again</a></p></main></body>
</html>`.text;
  }
}
