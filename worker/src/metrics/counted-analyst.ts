import type { Analyst } from "../analysis/analyst.ts";
import { ProviderError } from "../market-data/provider-error.ts";
import type { WorkerMetrics } from "./worker-metrics.ts";

/** Counts every failed call, also if a retry succeeds. Failures during shutdown do not count. */
export function countedAnalyst(
  analyst: Analyst,
  { metrics, shutdown }: { metrics: Pick<WorkerMetrics, "providerFailed">; shutdown: AbortSignal },
): Analyst {
  const { name, version } = analyst;
  return {
    name,
    version,
    async advise(request) {
      try {
        return await analyst.advise(request);
      } catch (error) {
        if (error instanceof ProviderError && !shutdown.aborted) {
          metrics.providerFailed({ provider: error.provider, kind: error.failure });
        }
        throw error;
      }
    },
  };
}
