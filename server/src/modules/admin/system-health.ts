import type {
  ProviderReport,
  SystemHealth,
  SystemProblem,
  WorkerReport,
} from "@shared/contract/admin.ts";
import type {
  ProviderHealthRecord,
  WorkerStatusRecord,
} from "@shared/database/models/worker-reports.ts";
import { findActiveWorkers } from "@shared/domain/active-workers.ts";
import { productVersion } from "@shared/runtime/settings.ts";
import type { ServerDeps } from "../../server-deps.ts";
import { countPriceFeeds } from "../markets/price-feeds.ts";
import { readQueueDepth } from "../signals/queue-depth.ts";

export async function getSystemHealth(
  deps: Pick<ServerDeps, "database" | "now" | "feedIsRunning">,
): Promise<SystemHealth> {
  const now = deps.now();
  const [queue, workers, prices] = await Promise.all([
    readQueueDepth(deps.database, now),
    findActiveWorkers(deps.database),
    countPriceFeeds(deps.database),
  ]);
  const feedIsRunning = deps.feedIsRunning();
  return {
    checked_at: now.toISOString(),
    problems: findProblems({ queue, workers, feedIsRunning, prices }),
    queue: {
      waiting: queue.waiting,
      running: queue.running,
      oldest_waiting_seconds: queue.oldestWaitingSeconds,
    },
    workers: workers.map(presentWorker),
    prices,
    server: {
      event_feed: feedIsRunning ? "running" : "interrupted",
      version: productVersion(),
    },
  };
}

/** Longer waits mean that the workers do not keep up. */
const BACKLOG_SECONDS = 20;

function findProblems(state: {
  queue: { oldestWaitingSeconds: number };
  workers: readonly WorkerStatusRecord[];
  feedIsRunning: boolean;
  prices: SystemHealth["prices"];
}): SystemProblem[] {
  const { queue, workers, feedIsRunning, prices } = state;
  const problems: SystemProblem[] = [];
  if (workers.length === 0) problems.push("no-worker");
  if (!feedIsRunning) problems.push("feed-interrupted");
  if (queue.oldestWaitingSeconds > BACKLOG_SECONDS) problems.push("backlog");
  if (workers.some(hasFailingProvider)) problems.push("provider-failing");
  if (prices.fallback > 0) problems.push("price-feed-lost");
  return problems;
}

export const hasFailingProvider = ({ providers }: Pick<WorkerStatusRecord, "providers">): boolean =>
  providers.some(({ state }) => state !== "ok");

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
