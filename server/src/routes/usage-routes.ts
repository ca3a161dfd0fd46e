import Router from "@koa/router";
import type { Usage } from "@shared/contract/usage.ts";
import type { AppRouter, AppState } from "../app-context.ts";
import { summarizeUsage } from "../commands/summarize-usage.ts";
import { requireAdmin, requireUser } from "../middleware/authenticate.ts";
import type { ServerDeps } from "../server-deps.ts";

/** What the analyses cost: signals, tokens and dollars, by model. */
export function createUsageRoutes(deps: ServerDeps): AppRouter {
  const router = new Router<AppState>();

  router.get("/admin/usage", requireUser(deps), requireAdmin(), async (ctx) => {
    ctx.body = (await summarizeUsage(deps)) satisfies Usage;
  });

  return router;
}
