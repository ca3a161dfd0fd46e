import { extname } from "node:path";
import Router from "@koa/router";
import type { ActionDone, QueueTicket } from "@shared/contract/admin.ts";
import { z } from "zod";
import {
  type AppContext,
  type AppMiddleware,
  type AppRouter,
  type AppState,
  sessionOf,
} from "../app-context.ts";
import { notFound } from "../errors.ts";
import { requireAdmin, requireUser } from "../middleware/authenticate.ts";
import { parseInput } from "../middleware/parse-input.ts";
import { requireQueueVisit } from "../middleware/require-queue-visit.ts";
import { isKeptForEver, readAsset, readPage } from "../queue-page/page-files.ts";
import { endPasses, issueTicket, redeemTicket } from "../queue-page/queue-passes.ts";
import { tellBrowsers } from "../queue-page/tell-browsers.ts";
import { QUEUE_PATH, setVisitCookie } from "../queue-page/visit-cookie.ts";
import type { ServerDeps } from "../server-deps.ts";

/** With a ticket the page is opened; without one it is shown. */
export const queuePageQuerySchema = z.object({ ticket: z.string().max(100).optional() });
const assetSchema = z.object({ file: z.string() });

/** Agendash loads its own files and calls its own API; all other pages of this host stay without scripts. */
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

const FOR_EVER = "private, max-age=31536000, immutable";

/** The job queue in a browser: Agendash, for administrators who have opened it from the admin screen. */
export function createQueuePageRoutes(deps: ServerDeps): AppRouter {
  const router = new Router<AppState>();
  const asAdmin = [requireUser(deps), requireAdmin()];
  const asVisitor = [requireQueueVisit(deps), requireAdmin()];

  router.post(`${QUEUE_PATH}/ticket`, ...asAdmin, async (ctx) => {
    const { secret, expiresAt } = await issueTicket(deps, sessionOf(ctx));
    ctx.status = 201;
    ctx.body = { ticket: secret, expires_at: expiresAt.toISOString() } satisfies QueueTicket;
  });
  router.post(`${QUEUE_PATH}/leave`, ...asAdmin, async (ctx) => {
    await endPasses(deps, sessionOf(ctx));
    ctx.body = { detail: "The queue is no longer open in any browser." } satisfies ActionDone;
  });
  router.get(QUEUE_PATH, tellBrowsers, redeem(deps), ...asVisitor, showPage);
  router.get(`${QUEUE_PATH}/assets/:file`, ...asVisitor, sendAsset);
  return router;
}

/** Makes a ticket into a visit, and leads to an address that can be kept and shown without giving anything away. */
function redeem(deps: ServerDeps): AppMiddleware {
  return async (ctx, next) => {
    const { ticket } = parseInput(queuePageQuerySchema, ctx.query);
    if (ticket === undefined) return next();
    setVisitCookie(deps, ctx, await redeemTicket(deps, ticket));
    ctx.status = 303;
    ctx.redirect(`${QUEUE_PATH}/`);
  };
}

async function showPage(ctx: AppContext): Promise<void> {
  if (!ctx.path.endsWith("/")) {
    // The page looks for its files beside itself.
    ctx.redirect(`${QUEUE_PATH}/`);
    return;
  }
  ctx.set("Content-Security-Policy", PAGE_POLICY);
  ctx.type = "html";
  ctx.body = await readPage();
}

async function sendAsset(ctx: AppContext): Promise<void> {
  const { file } = parseInput(assetSchema, ctx.params);
  const bytes = await readAsset(file);
  if (!bytes) throw notFound();
  if (isKeptForEver(file)) ctx.set("Cache-Control", FOR_EVER);
  ctx.type = extname(file);
  ctx.body = bytes;
}
