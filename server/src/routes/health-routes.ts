import Router from "@koa/router";
import type { AppRouter, AppState } from "../app-context.ts";
import { assertReady } from "../commands/assert-ready.ts";
import type { ServerDeps } from "../server-deps.ts";

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
