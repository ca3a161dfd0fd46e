import { serviceRoutes } from "@shared/contract/routes/service-routes.ts";
import type { ServerDeps } from "../server-deps.ts";
import { unavailable } from "./errors.ts";
import { type BoundRoute, handle } from "./router.ts";

const OK = { status: "ok" } as const;

/** Liveness, readiness and metrics, for load balancers and monitoring. */
export const healthHandlers: BoundRoute[] = [
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

async function assertReady(deps: Pick<ServerDeps, "database" | "feedIsRunning">): Promise<void> {
  if (!deps.feedIsRunning()) throw unavailable();
  const db = deps.database.connection.getClient().db();
  try {
    await db.command({ ping: 1 }, { signal: AbortSignal.timeout(PING_TIMEOUT_MS) });
  } catch (error) {
    throw unavailable(error);
  }
}
