import { adminRoutes } from "@shared/contract/routes/admin-routes.ts";
import { type BoundRoute, handle } from "../../http/router.ts";
import type { ServerDeps } from "../../server-deps.ts";
import { readSecurityLog } from "./security-log.ts";
import { getSystemHealth } from "./system-health.ts";
import { summarizeUsage } from "./usage.ts";

/** Security log, usage and system health. */
export const createAdminRoutes = (deps: ServerDeps): BoundRoute[] => [
  handle(adminRoutes.readSecurityLog, ({ query }) => readSecurityLog(deps, query)),
  handle(adminRoutes.getUsage, () => summarizeUsage(deps)),
  handle(adminRoutes.getSystemHealth, () => getSystemHealth(deps)),
];
