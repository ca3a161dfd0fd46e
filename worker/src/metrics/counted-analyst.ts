import type { Analyst } from "../analysis/analyst.ts";
import { ProviderError } from "../market-data/provider-error.ts";
import type { WorkerMetrics } from "./worker-metrics.ts";

/**
 * An analyst each of whose failed calls is counted, also where a later call makes up for it. What a worker cuts off that
 * is stopping says nothing about the analyst's service.
 */
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
