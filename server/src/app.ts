import { ROUTES } from "@shared/contract/routes/all-routes.ts";
import type { Route } from "@shared/contract/routes/define-route.ts";
import Koa from "koa";
import { requireAdmin, requireApproved, requireUser } from "./http/access.ts";
import type { AppRouter, AppState } from "./http/context.ts";
import { handleErrors, handleNotFound } from "./http/error-handler.ts";
import { notFound } from "./http/errors.ts";
import { createHealthRoutes } from "./http/health-routes.ts";
import { createDocsRoutes } from "./http/openapi/docs-page.ts";
import { parseBody } from "./http/request-input.ts";
import { requestId, requestLog } from "./http/request-log.ts";
import { createRouter } from "./http/router.ts";
import { crossOrigin } from "./http/security-headers.ts";
import { createAccountRoutes, createSessionRoutes } from "./modules/accounts/routes.ts";
import { logRefusals } from "./modules/admin/log-refusals.ts";
import { createAdminRoutes } from "./modules/admin/routes.ts";
import { createFileRoutes, unlessSigned } from "./modules/files/routes.ts";
import { createMarketRoutes } from "./modules/markets/routes.ts";
import { createPaymentRoutes } from "./modules/payments/routes.ts";
import { requireDashboardAccess } from "./modules/queue-dashboard/dashboard-access.ts";
import { createQueueDashboardRoutes } from "./modules/queue-dashboard/routes.ts";
import { createLedgerRoutes, createPerformanceRoutes } from "./modules/record/routes.ts";
import { createSignalRequestRoutes, createSignalRoutes } from "./modules/signals/routes.ts";
import { createUserRoutes } from "./modules/users/routes.ts";
import type { ServerDeps } from "./server-deps.ts";

/** The HTTP application, not listening yet. */
export function createApp(deps: ServerDeps): Koa<AppState> {
  const { TRUSTED_PROXIES, CLIENT_ORIGIN } = deps.settings;
  const app = new Koa<AppState>({ proxy: TRUSTED_PROXIES > 0, maxIpsCount: TRUSTED_PROXIES });
  app.use(requestId(deps.logger));
  app.use(requestLog(deps.metrics));
  app.use(handleErrors);
  app.use(crossOrigin(CLIENT_ORIGIN));
  app.use(logRefusals(deps));
  app.use(parseBody);
  app.use(handleNotFound);

  const router = createApiRouter(deps);
  app.use(router.routes());
  app.use(
    router.allowedMethods({ throw: true, methodNotAllowed: notFound, notImplemented: notFound }),
  );

  app.on("error", (error) => deps.logger.warn({ err: error }, "response could not be sent"));
  return app;
}

/** All routes of the API with their handlers. */
export function createApiRouter(deps: ServerDeps): AppRouter {
  const isProduction = deps.settings.NODE_ENV === "production";
  const isServed = (route: Route) => !(isProduction && route.hiddenInProduction);
  const routes = [
    ...createHealthRoutes(deps),
    ...createDocsRoutes(deps, ROUTES.filter(isServed)),
    ...createMarketRoutes(deps),
    ...createPerformanceRoutes(deps),
    ...createLedgerRoutes(deps),
    ...createAccountRoutes(deps),
    ...createSessionRoutes(deps),
    ...createSignalRequestRoutes(deps),
    ...createSignalRoutes(deps),
    ...createPaymentRoutes(deps),
    ...createFileRoutes(deps),
    ...createUserRoutes(deps),
    ...createAdminRoutes(deps),
    ...createQueueDashboardRoutes(deps),
  ];
  const signedIn = requireUser(deps);
  const served = routes.filter(({ route }) => isServed(route));
  return createRouter(deps, served, {
    public: [],
    user: [signedIn],
    approved: [signedIn, requireApproved],
    admin: [signedIn, requireAdmin],
    owner: [unlessSigned(signedIn)],
    "queue-dashboard": [requireDashboardAccess(deps), requireAdmin],
  });
}
