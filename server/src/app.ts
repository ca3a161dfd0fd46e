import Router from "@koa/router";
import Koa from "koa";
import type { AppRouter, AppState } from "./app-context.ts";
import { notFound } from "./errors.ts";
import { parseBody } from "./middleware/body-parser.ts";
import { crossOrigin } from "./middleware/cross-origin.ts";
import { handleErrors, refuseUnanswered } from "./middleware/error-handler.ts";
import { requestId } from "./middleware/request-id.ts";
import { requestLog } from "./middleware/request-log.ts";
import { requestMetrics } from "./middleware/request-metrics.ts";
import { securityHeaders } from "./middleware/security-headers.ts";
import { createAccountRoutes } from "./routes/account-routes.ts";
import { createAdminHealthRoutes } from "./routes/admin-health-routes.ts";
import { createAdminUserRoutes } from "./routes/admin-user-routes.ts";
import { createAuditRoutes } from "./routes/audit-routes.ts";
import { createChartImageRoutes } from "./routes/chart-image-routes.ts";
import { createDocsRoutes } from "./routes/docs-routes.ts";
import { createFileRoutes } from "./routes/file-routes.ts";
import { createHealthRoutes } from "./routes/health-routes.ts";
import { createLedgerRoutes } from "./routes/ledger-routes.ts";
import { createMarketRoutes } from "./routes/market-routes.ts";
import { createPasswordRoutes } from "./routes/password-routes.ts";
import { createPaymentDetailsRoutes } from "./routes/payment-details-routes.ts";
import { createPerformanceRoutes } from "./routes/performance-routes.ts";
import { createProofRoutes } from "./routes/proof-routes.ts";
import { createQueueApiRoutes } from "./routes/queue-api-routes.ts";
import { createQueuePageRoutes } from "./routes/queue-page-routes.ts";
import { createSignalPageRoutes } from "./routes/signal-page-routes.ts";
import { createSignalRoutes } from "./routes/signal-routes.ts";
import { createStatusRoutes } from "./routes/status-routes.ts";
import { createUsageRoutes } from "./routes/usage-routes.ts";
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
  app.use(refuseUnanswered);

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
