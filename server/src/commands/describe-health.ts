import type { SystemHealth } from "@shared/contract/health.ts";
import { findActiveWorkers } from "@shared/node/active-workers.ts";
import { productVersion } from "@shared/node/settings.ts";
import { readQueueState } from "@shared/node/signals/queue-state.ts";
import { presentWorker } from "../presenters/present-worker.ts";
import type { ServerDeps } from "../server-deps.ts";

/** How the queue, the workers with their providers, and this server are at the moment. */
export async function describeHealth(
  deps: Pick<ServerDeps, "database" | "now" | "feedIsRunning">,
): Promise<SystemHealth> {
  const now = deps.now();
  const [queue, workers] = await Promise.all([
    readQueueState(deps.database, now),
    findActiveWorkers(deps.database),
  ]);
  return {
    checked_at: now.toISOString(),
    queue: {
      waiting: queue.waiting,
      running: queue.running,
      oldest_waiting_seconds: queue.oldestWaitingSeconds,
    },
    workers: workers.map(presentWorker),
    server: {
      event_feed: deps.feedIsRunning() ? "running" : "interrupted",
      version: productVersion(),
    },
  };
}
