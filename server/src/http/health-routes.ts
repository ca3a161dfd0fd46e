import Router from "@koa/router";
import type { ServerDeps } from "../server-deps.ts";
import type { AppRouter, AppState } from "./context.ts";
import { unavailable } from "./errors.ts";

/** What a load balancer or a supervisor asks: is the process up, and can it serve? */
export function createHealthRoutes(deps: ServerDeps): AppRouter {
  const router = new Router<AppState>();

  router.get("/healthz", (ctx) => {
    ctx.body = { status: "ok" };
  });

  router.get("/readyz", async (ctx) => {
    await assertReady(deps);
    ctx.body = { status: "ok" };
  });

  router.get("/metrics", async (ctx) => {
    ctx.type = deps.metrics.registry.contentType;
    ctx.body = await deps.metrics.registry.metrics();
  });

  return router;
}

const PING_TIMEOUT_MS = 2_000;

/**
 * Checks that this process can serve: the database answers, and committed events arrive.
 * @throws AppError unavailable, within two seconds
 */
async function assertReady(deps: Pick<ServerDeps, "database" | "feedIsRunning">): Promise<void> {
  if (!deps.feedIsRunning()) throw unavailable();
  const db = deps.database.connection.getClient().db();
  try {
    await db.command({ ping: 1 }, { signal: AbortSignal.timeout(PING_TIMEOUT_MS) });
  } catch (error) {
    throw unavailable(error);
  }
}
