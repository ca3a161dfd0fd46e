import type { ProviderReport, WorkerReport } from "@shared/contract/health.ts";
import type {
  ProviderHealthRecord,
  WorkerStatusRecord,
} from "@shared/node/models/worker-status.ts";

/** A worker as administrators see it. */
export function presentWorker(worker: WorkerStatusRecord): WorkerReport {
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
