import { once } from "node:events";
import { type Server, ServerResponse } from "node:http";
import type { Database } from "@shared/database/database.ts";
import type { Logger } from "@shared/runtime/logger.ts";
import { serveMetrics } from "@shared/runtime/run-service.ts";
import type { Settings } from "@shared/runtime/settings.ts";
import { createApp } from "./app.ts";
import { createDeps } from "./create-deps.ts";
import { createHttpServer } from "./http/create-http-server.ts";
import { ensureFirstAdmin } from "./modules/accounts/register.ts";
import { compareProofs } from "./modules/payments/payment-proofs.ts";
import { startPaymentChecks } from "./modules/payments/verify-payments.ts";
import { SignalWaiters } from "./modules/signals/signal-waiters.ts";
import { addSearchKeys } from "./modules/users/list-users.ts";
import { EventFeed } from "./realtime/event-feed.ts";
import { PushServer } from "./realtime/push-server.ts";
import type { ServerDeps } from "./server-deps.ts";

/** Open requests get this long to finish. */
const DRAIN_MS = 5_000;
/** Those that wait for a signal are answered this long before, while there is time to write to them. */
const LAST_ANSWERS_MS = 1_500;

/** Starts the HTTP API and push on `settings.API_PORT`, or on a free port if that is 0. */
export async function startServer(options: {
  settings: Settings;
  database: Database;
  logger: Logger;
}): Promise<{ port: number; stop: () => Promise<void> }> {
  const { settings, database, logger } = options;
  const feed = new EventFeed({ database, logger });
  const { now } = database;
  const signalWaiters = new SignalWaiters({ database, feed, logger });
  const deps = createDeps({
    settings,
    database,
    logger,
    now,
    signalWaiters,
    feedIsRunning: () => feed.isRunning,
  });
  await Promise.all([ensureFirstAdmin(deps), addSearchKeys(database)]);
  const app = createApp(deps);
  const http = createHttpServer(app, logger);
  const push = new PushServer(deps, {
    http,
    feed,
    addressOf: (request) => app.createContext(request, new ServerResponse(request)).ip,
  });
  watchPush(deps, feed, push);
  await Promise.all([feed.start(), push.start()]);
  const endpoint = await serveOwnMetrics(deps);
  const port = await listen(http, settings.API_PORT);
  compareProofs(deps);
  const payments = startPaymentChecks(deps);
  return {
    port,
    async stop() {
      deps.queueDashboard.close();
      endpoint?.close();
      const checksStopped = payments?.stop({ drainMs: DRAIN_MS });
      const closed = push.close();
      const timers = [
        setTimeout(() => signalWaiters.stop(), DRAIN_MS - LAST_ANSWERS_MS),
        setTimeout(() => http.closeAllConnections(), DRAIN_MS),
      ];
      http.closeIdleConnections();
      await closed;
      for (const timer of timers) clearTimeout(timer);
      await Promise.all([feed.stop(), checksStopped]);
      await deps.background.stop();
      deps.images.stop();
    },
  };
}

function watchPush({ metrics, now }: ServerDeps, feed: EventFeed, push: PushServer): void {
  metrics.countSockets(() => push.socketCount);
  feed.subscribe({
    onEvent: ({ at }) => metrics.observeEvent((now().getTime() - at.getTime()) / 1_000),
    onReopened: () => undefined,
  });
}

async function serveOwnMetrics({ settings, metrics, logger }: ServerDeps) {
  const { SERVER_METRICS_PORT: port } = settings;
  return port === undefined
    ? undefined
    : serveMetrics({ registry: metrics.registry, port, logger });
}

async function listen(http: Server, port: number): Promise<number> {
  http.listen(port);
  await once(http, "listening");
  const address = http.address();
  return typeof address === "object" && address ? address.port : port;
}
