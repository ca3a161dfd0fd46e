import type { ProviderReport, SystemHealth, WorkerReport } from "@shared/contract/admin.ts";
import type {
  ProviderHealthRecord,
  WorkerStatusRecord,
} from "@shared/database/models/worker-reports.ts";
import { findActiveWorkers } from "@shared/domain/active-workers.ts";
import { productVersion } from "@shared/runtime/settings.ts";
import type { ServerDeps } from "../../server-deps.ts";
import { readQueueDepth } from "../signals/queue-depth.ts";

export async function getSystemHealth(
  deps: Pick<ServerDeps, "database" | "now" | "feedIsRunning">,
): Promise<SystemHealth> {
  const now = deps.now();
  const [queue, workers] = await Promise.all([
    readQueueDepth(deps.database, now),
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

function presentWorker(worker: WorkerStatusRecord): WorkerReport {
  return {
    id: worker._id,
    started_at: worker.startedAt.toISOString(),
    seen_at: worker.seenAt.toISOString(),
    concurrency: worker.concurrency,
    market_data: worker.marketData,
    analyst: worker.analyst,
    providers: worker.providers.map(presentProvider),
  };
}

function presentProvider(health: ProviderHealthRecord): ProviderReport {
  const { provider, state, lastSuccessAt, lastFailure } = health;
  return {
    provider,
    state,
    last_success_at: lastSuccessAt?.toISOString() ?? null,
    last_failure: lastFailure && {
      failure: lastFailure.failure,
      at: lastFailure.at.toISOString(),
    },
  };
}
