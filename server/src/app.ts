import Router from "@koa/router";
import Koa from "koa";
import type { AppRouter, AppState } from "./http/context.ts";
import { handleErrors, handleNotFound } from "./http/error-handler.ts";
import { notFound } from "./http/errors.ts";
import { createHealthRoutes } from "./http/health-routes.ts";
import { createDocsRoutes } from "./http/openapi/docs-page.ts";
import { parseBody } from "./http/request-input.ts";
import { requestId, requestLog, requestMetrics } from "./http/request-log.ts";
import { crossOrigin, securityHeaders } from "./http/security-headers.ts";
import { createAccountRoutes, createPasswordRoutes } from "./modules/accounts/routes.ts";
import {
  createAdminHealthRoutes,
  createAuditRoutes,
  createUsageRoutes,
} from "./modules/admin/routes.ts";
import { createChartImageRoutes, createFileRoutes } from "./modules/files/routes.ts";
import { createMarketRoutes } from "./modules/markets/market-routes.ts";
import { createStatusRoutes } from "./modules/markets/status-routes.ts";
import { createPaymentDetailsRoutes, createProofRoutes } from "./modules/payments/routes.ts";
import { createQueueApiRoutes } from "./modules/queue-dashboard/api-routes.ts";
import { createQueuePageRoutes } from "./modules/queue-dashboard/page-routes.ts";
import { createLedgerRoutes } from "./modules/record/ledger-routes.ts";
import { createPerformanceRoutes } from "./modules/record/performance.ts";
import { createSignalPageRoutes, createSignalRoutes } from "./modules/signals/routes.ts";
import { createAdminUserRoutes } from "./modules/users/routes.ts";
import type { ServerDeps } from "./server-deps.ts";

/** The HTTP side of the server, put together but not listening. */
export function createApp(deps: ServerDeps): Koa<AppState> {
  const { TRUSTED_PROXIES, CLIENT_ORIGIN } = deps.settings;
  const app = new Koa<AppState>({ proxy: TRUSTED_PROXIES > 0, maxIpsCount: TRUSTED_PROXIES });
  app.use(requestId(deps.logger));
  app.use(requestLog);
  app.use(requestMetrics(deps.metrics));
  app.use(handleErrors);
  app.use(securityHeaders);
  app.use(crossOrigin(CLIENT_ORIGIN));
  app.use(parseBody);
  app.use(handleNotFound);

  const router = createRouter(deps);
  app.use(router.routes());
  app.use(
    router.allowedMethods({ throw: true, methodNotAllowed: notFound, notImplemented: notFound }),
  );

  app.on("error", (error) => deps.logger.warn({ err: error }, "answer could not be sent"));
  return app;
}

/** Every address that the API answers. */
export function createRouter(deps: ServerDeps): AppRouter {
  const router = new Router<AppState>();
  router.use(createHealthRoutes(deps).routes());
  router.use(createDocsRoutes(deps).routes());
  router.use(createStatusRoutes(deps).routes());
  router.use(createMarketRoutes(deps).routes());
  router.use(createPerformanceRoutes(deps).routes());
  router.use(createLedgerRoutes(deps).routes());
  router.use(createAccountRoutes(deps).routes());
  router.use(createPasswordRoutes(deps).routes());
  router.use(createSignalRoutes(deps).routes());
  router.use(createSignalPageRoutes(deps).routes());
  router.use(createProofRoutes(deps).routes());
  router.use(createChartImageRoutes(deps).routes());
  router.use(createFileRoutes(deps).routes());
  router.use(createAdminUserRoutes(deps).routes());
  router.use(createPaymentDetailsRoutes(deps).routes());
  router.use(createAuditRoutes(deps).routes());
  router.use(createUsageRoutes(deps).routes());
  router.use(createAdminHealthRoutes(deps).routes());
  router.use(createQueuePageRoutes(deps).routes());
  router.use(createQueueApiRoutes(deps).routes());
  return router;
}
