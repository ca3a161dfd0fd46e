import Router from "@koa/router";
import type { AppRouter, AppState } from "../app-context.ts";
import { auditQuerySchema, listAudit } from "../commands/list-audit.ts";
import { requireAdmin, requireUser } from "../middleware/authenticate.ts";
import { parseInput } from "../middleware/parse-input.ts";
import type { ServerDeps } from "../server-deps.ts";

/** The audit trail: who of the administrators did what, to whom and when. */
export function createAuditRoutes(deps: ServerDeps): AppRouter {
  const router = new Router<AppState>();

  router.get("/admin/audit", requireUser(deps), requireAdmin(), async (ctx) => {
    ctx.body = await listAudit(deps, parseInput(auditQuerySchema, ctx.query));
  });

  return router;
}
