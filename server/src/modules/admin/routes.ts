import { adminRoutes } from "@shared/contract/routes/admin-routes.ts";
import { type BoundRoute, handle } from "../../http/router.ts";
import { requestModelTest } from "./model-servers.ts";
import { getOverview, getSetup, getSystemHealth } from "./overview.ts";
import { readSecurityLog } from "./security-log.ts";
import { summarizeUsage } from "./usage.ts";

export const adminHandlers: BoundRoute[] = [
  handle(adminRoutes.readSecurityLog, ({ query }, { deps }) => readSecurityLog(deps, query)),
  handle(adminRoutes.getUsage, (_, { deps }) => summarizeUsage(deps)),
  handle(adminRoutes.getOverview, (_, { deps }) => getOverview(deps)),
  handle(adminRoutes.getSetup, (_, { deps, session }) => getSetup(deps, session.user)),
  handle(adminRoutes.getSystemHealth, (_, { deps }) => getSystemHealth(deps)),
  handle(adminRoutes.testModel, (_, { deps, session }) => requestModelTest(deps, session)),
];
