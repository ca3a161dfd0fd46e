import Router from "@koa/router";
import type { Usage } from "@shared/contract/admin.ts";
import { requireAdmin, requireUser } from "../../http/access.ts";
import type { AppRouter, AppState } from "../../http/context.ts";
import { parseInput } from "../../http/request-input.ts";
import type { ServerDeps } from "../../server-deps.ts";
import { auditQuerySchema, listAudit } from "./audit-trail.ts";
import { getSystemHealth } from "./system-health.ts";
import { summarizeUsage } from "./usage.ts";

/** How the system is, for those who look after it. */
export function createAdminHealthRoutes(deps: ServerDeps): AppRouter {
  const router = new Router<AppState>();

  router.get("/admin/health", requireUser(deps), requireAdmin(), async (ctx) => {
    ctx.set("Cache-Control", "no-store");
    ctx.body = await getSystemHealth(deps);
  });

  return router;
}

/** The audit trail: who of the administrators did what, to whom and when. */
export function createAuditRoutes(deps: ServerDeps): AppRouter {
  const router = new Router<AppState>();

  router.get("/admin/audit", requireUser(deps), requireAdmin(), async (ctx) => {
    ctx.body = await listAudit(deps, parseInput(auditQuerySchema, ctx.query));
  });

  return router;
}

/** What the analyses cost: signals, tokens and dollars, by model. */
export function createUsageRoutes(deps: ServerDeps): AppRouter {
  const router = new Router<AppState>();

  router.get("/admin/usage", requireUser(deps), requireAdmin(), async (ctx) => {
    ctx.body = (await summarizeUsage(deps)) satisfies Usage;
  });

  return router;
}
