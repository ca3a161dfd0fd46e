import { adminRoutes } from "@shared/contract/routes/admin-routes.ts";
import { type BoundRoute, handle } from "../../http/router.ts";
import type { ServerDeps } from "../../server-deps.ts";
import { listAudit } from "./audit-trail.ts";
import { getSystemHealth } from "./system-health.ts";
import { summarizeUsage } from "./usage.ts";

/** Audit trail, usage and system health. */
export const createAdminRoutes = (deps: ServerDeps): BoundRoute[] => [
  handle(adminRoutes.listAudit, ({ query }) => listAudit(deps, query)),
  handle(adminRoutes.getUsage, () => summarizeUsage(deps)),
  handle(adminRoutes.getSystemHealth, () => getSystemHealth(deps)),
];
