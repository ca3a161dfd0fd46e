import Router from "@koa/router";
import type { AppRouter, AppState } from "../app-context.ts";
import { describeHealth } from "../commands/describe-health.ts";
import { requireAdmin, requireUser } from "../middleware/authenticate.ts";
import type { ServerDeps } from "../server-deps.ts";

/** How the system is, for those who look after it. */
export function createAdminHealthRoutes(deps: ServerDeps): AppRouter {
  const router = new Router<AppState>();

  router.get("/admin/health", requireUser(deps), requireAdmin(), async (ctx) => {
    ctx.set("Cache-Control", "no-store");
    ctx.body = await describeHealth(deps);
  });

  return router;
}
