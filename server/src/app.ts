import { ROUTES } from "@shared/contract/routes/all-routes.ts";
import type { Access, Route } from "@shared/contract/routes/define-route.ts";
import { serviceRoutes } from "@shared/contract/routes/service-routes.ts";
import Koa from "koa";
import type { AppDeps } from "./create-deps.ts";
import { admitKeys, requireAdmin, requireApproved, requireUser } from "./http/access.ts";
import type { AppMiddleware, AppRouter, AppState } from "./http/context.ts";
import { crossOrigin } from "./http/create-http-server.ts";
import { notFound, unavailable } from "./http/errors.ts";
import { handleErrors, handleNotFound } from "./http/handle-errors.ts";
import { countCallsWithoutKey, KeyCallQueue } from "./http/key-call-queue.ts";
import { requestId, requestLog } from "./http/request-log.ts";
import { type BoundRoute, createRouter, handle } from "./http/router.ts";
import { apiKeyHandlers } from "./modules/accounts/api-keys.ts";
import { createAccountHandlers } from "./modules/accounts/routes.ts";
import { logRefusals } from "./modules/admin/log-refusals.ts";
import { adminHandlers } from "./modules/admin/routes.ts";
import { benchHandlers } from "./modules/bench/routes.ts";
import { brandingHandlers } from "./modules/branding/routes.ts";
import { channelHandlers } from "./modules/channels/routes.ts";
import { createDocsHandlers } from "./modules/docs/docs-page.ts";
import { fileHandlers, unlessSigned } from "./modules/files/routes.ts";
import { createCandleHandlers } from "./modules/markets/candles.ts";
import { marketHandlers } from "./modules/markets/routes.ts";
import { createMcpHandlers } from "./modules/mcp/routes.ts";
import { paymentHandlers } from "./modules/payments/routes.ts";
import { requireDashboardAccess } from "./modules/queue-dashboard/dashboard-access.ts";
import { queueDashboardHandlers } from "./modules/queue-dashboard/routes.ts";
import { createPerformanceHandlers, ledgerHandlers } from "./modules/record/routes.ts";
import { signalHandlers } from "./modules/signals/routes.ts";
import { subscriptionHandlers } from "./modules/subscriptions/routes.ts";
import { telegramChannelHandlers } from "./modules/telegram-channel/telegram-channel.ts";
import { userHandlers } from "./modules/users/routes.ts";
import { watchlistHandlers } from "./modules/watchlist/watchlist.ts";
import type { ServerDeps } from "./server-deps.ts";

const OK = { status: "ok" } as const;

/** Liveness, readiness and metrics, for load balancers and monitoring. */
const healthHandlers: BoundRoute[] = [
  handle(serviceRoutes.isAlive, () => OK),
  handle(serviceRoutes.isReady, async (_, { deps }) => {
    await assertReady(deps);
    return OK;
  }),
  handle(serviceRoutes.getMetrics, (_, { ctx, deps }) => {
    ctx.type = deps.metrics.registry.contentType;
    return deps.metrics.registry.metrics();
  }),
];

const PING_TIMEOUT_MS = 2_000;

async function assertReady(deps: ServerDeps): Promise<void> {
  if (!deps.feedIsRunning()) throw unavailable();
  const db = deps.database.connection.getClient().db();
  try {
    await db.command({ ping: 1 }, { signal: AbortSignal.timeout(PING_TIMEOUT_MS) });
  } catch (error) {
    throw unavailable(error);
  }
}

/** The HTTP application, not listening yet. */
export function createApp(deps: AppDeps): Koa<AppState> {
  const { TRUSTED_PROXIES, CLIENT_ORIGIN } = deps.settings;
  const keyCalls = new KeyCallQueue();
  const app = new Koa<AppState>({ proxy: TRUSTED_PROXIES > 0, maxIpsCount: TRUSTED_PROXIES });
  app.use(requestId(deps.logger));
  app.use(requestLog(deps.metrics));
  app.use(handleErrors);
  app.use(crossOrigin(CLIENT_ORIGIN));
  app.use(countCallsWithoutKey(keyCalls));
  app.use(logRefusals(deps));
  app.use(handleNotFound);

  const router = createApiRouter(deps, keyCalls);
  app.use(router.routes());
  app.use(
    router.allowedMethods({ throw: true, methodNotAllowed: notFound, notImplemented: notFound }),
  );

  app.on("error", (error) => deps.logger.warn({ err: error }, "response could not be sent"));
  return app;
}

export function createApiRouter(deps: AppDeps, keyCalls: KeyCallQueue): AppRouter {
  const isProduction = deps.settings.NODE_ENV === "production";
  const isServed = (route: Route) => !(isProduction && route.hiddenInProduction);
  const routes: BoundRoute<AppDeps>[] = [
    ...healthHandlers,
    ...brandingHandlers,
    ...createDocsHandlers(deps, ROUTES.filter(isServed)),
    ...marketHandlers,
    ...createCandleHandlers(deps),
    ...createPerformanceHandlers(deps),
    ...ledgerHandlers,
    ...createAccountHandlers(deps),
    ...apiKeyHandlers,
    ...signalHandlers,
    ...watchlistHandlers,
    ...channelHandlers,
    ...telegramChannelHandlers,
    ...paymentHandlers,
    ...fileHandlers,
    ...userHandlers,
    ...subscriptionHandlers,
    ...adminHandlers,
    ...benchHandlers,
    ...queueDashboardHandlers,
  ];
  const signedIn = requireUser(deps);
  const guards: Record<Access, AppMiddleware[]> = {
    public: [],
    user: [signedIn],
    approved: [signedIn, requireApproved],
    admin: [signedIn, requireAdmin],
    owner: [unlessSigned(signedIn)],
    "queue-dashboard": [requireDashboardAccess(deps)],
  };
  const served = [...routes, ...createMcpHandlers(deps, routes, guards)].filter(({ route }) =>
    isServed(route),
  );
  return createRouter(deps, served, guards, admitKeys(deps, keyCalls));
}
