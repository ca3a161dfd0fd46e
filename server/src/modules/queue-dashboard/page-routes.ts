import { readdir, readFile } from "node:fs/promises";
import { extname } from "node:path";
import Router from "@koa/router";
import type { ActionDone, QueueTicket } from "@shared/contract/admin.ts";
import { AppError } from "@shared/runtime/app-error.ts";
import { html } from "@shared/runtime/html.ts";
import { z } from "zod";
import { requireAdmin, requireUser } from "../../http/access.ts";
import {
  type AppContext,
  type AppMiddleware,
  type AppRouter,
  type AppState,
  sessionOf,
} from "../../http/context.ts";
import { notFound } from "../../http/errors.ts";
import { parseInput } from "../../http/request-input.ts";
import type { ServerDeps } from "../../server-deps.ts";
import {
  issueTicket,
  QUEUE_PATH,
  redeemTicket,
  requireDashboardAccess,
  revokeAccess,
  setDashboardCookie,
} from "./dashboard-access.ts";

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
  const asVisitor = [requireDashboardAccess(deps), requireAdmin()];

  router.post(`${QUEUE_PATH}/ticket`, ...asAdmin, async (ctx) => {
    const { secret, expiresAt } = await issueTicket(deps, sessionOf(ctx));
    ctx.status = 201;
    ctx.body = { ticket: secret, expires_at: expiresAt.toISOString() } satisfies QueueTicket;
  });
  router.post(`${QUEUE_PATH}/leave`, ...asAdmin, async (ctx) => {
    await revokeAccess(deps, sessionOf(ctx));
    ctx.body = { detail: "The queue is no longer open in any browser." } satisfies ActionDone;
  });
  router.get(QUEUE_PATH, showErrorsAsHtml, redeem(deps), ...asVisitor, showPage);
  router.get(`${QUEUE_PATH}/assets/:file`, ...asVisitor, sendAsset);
  return router;
}

/** Makes a ticket into a visit, and leads to an address that can be kept and shown without giving anything away. */
function redeem(deps: ServerDeps): AppMiddleware {
  return async (ctx, next) => {
    const { ticket } = parseInput(queuePageQuerySchema, ctx.query);
    if (ticket === undefined) return next();
    setDashboardCookie(deps, ctx, await redeemTicket(deps, ticket));
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

/** The built pages of Agendash, which load nothing from elsewhere. */
const FOLDER = new URL("../../../../node_modules/agendash/public/", import.meta.url);
const ASSETS = new URL("assets/", FOLDER);

/** What is ours: it leaves out what this queue has no use for. */
const OWN_STYLE = "queue.css";

/** The page itself; its scripts and styles are `./assets/...` beside it. */
export async function readPage(): Promise<string> {
  const page = await readFile(new URL("index.html", FOLDER), "utf8");
  return page.replace("</head>", `<link rel="stylesheet" href="./assets/${OWN_STYLE}"></head>`);
}

/** A script or style of the page; null where it has none of this name. */
async function readAsset(name: string): Promise<Buffer | null> {
  if (name === OWN_STYLE) return readFile(new URL(OWN_STYLE, import.meta.url));
  const names = await readdir(ASSETS);
  return names.includes(name) ? readFile(new URL(name, ASSETS)) : null;
}

/** Agendash names its files after their content; ours may change any time. */
const isKeptForEver = (name: string): boolean => name !== OWN_STYLE;

/**
 * Tells a person who may not see the page so in words. Whoever does not ask for a page gets the error as everywhere.
 * Trying again helps where the browser came from another site and so kept the cookie back on its first request.
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
