import type { ProviderFailure } from "@shared/contract/admin.ts";
import { createRegistry } from "@shared/runtime/run-service.ts";
import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import type { Analyst } from "../analysis/analyst.ts";
import type { ProviderHealth } from "../market-data/circuit-breaker.ts";
import { ProviderError } from "../market-data/provider-error.ts";

const STAGE_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 80];

export interface FinishedRun {
  status: "completed" | "failed";
  totalMs: number;
  stagesMs?: Record<string, number> | undefined;
  tokens?: { model: string; prompt: number; completion: number } | undefined;
}

export type WorkerMetrics = ReturnType<typeof createWorkerMetrics>;

/** Metrics of `GET /metrics`. */
export function createWorkerMetrics() {
  const registry = createRegistry("worker");
  const running = new Gauge({
    name: "analyses_in_flight",
    help: "Analyses that this worker is running.",
    registers: [registry],
  });
  const count = addRunMetrics(registry);
  return {
    registry,
    runStarted: () => running.inc(),
    /** Without a result if the run was returned to the queue. */
    runEnded(finished?: FinishedRun) {
      running.dec();
      if (finished) count(finished);
    },
    ...addProviderMetrics(registry),
  };
}

function addRunMetrics(registry: Registry): (run: FinishedRun) => void {
  const registers = [registry];
  const buckets = STAGE_SECONDS;
  const signals = new Histogram({
    name: "signal_duration_seconds",
    help: "From the request of a signal to its end.",
    labelNames: ["status"],
    ...{ buckets, registers },
  });
  const stages = new Histogram({
    name: "signal_stage_duration_seconds",
    help: "Duration of each stage of a signal.",
    labelNames: ["stage"],
    ...{ buckets, registers },
  });
  const tokens = new Counter({
    name: "ai_tokens_total",
    help: "Tokens used, by model and direction.",
    labelNames: ["model", "direction"],
    registers,
  });
  return ({ status, totalMs, stagesMs = {}, tokens: used }) => {
    signals.observe({ status }, totalMs / 1_000);
    for (const [stage, ms] of Object.entries(stagesMs)) stages.observe({ stage }, ms / 1_000);
    if (!used) return;
    tokens.inc({ model: used.model, direction: "in" }, used.prompt);
    tokens.inc({ model: used.model, direction: "out" }, used.completion);
  };
}

/** Providers are read when the metrics are requested. */
function addProviderMetrics(registry: Registry) {
  const registers = [registry];
  let read: () => readonly ProviderHealth[] = () => [];
  const counted = new Map<string, number>();
  const failures: Counter<"provider" | "kind"> = new Counter({
    name: "provider_failures_total",
    help: "Failed calls to external services, including those that a retry or another provider made up for.",
    labelNames: ["provider", "kind"],
    registers,
    collect() {
      for (const { provider, failures: byKind } of read()) {
        for (const [kind, count] of byKind) {
          const key = `${provider} ${kind}`;
          failures.inc({ provider, kind }, count - (counted.get(key) ?? 0));
          counted.set(key, count);
        }
      }
    },
  });
  const open: Gauge<"provider"> = new Gauge({
    name: "provider_circuit_open",
    help: "1 while a market data provider is paused, as its connection or most of its markets fail.",
    labelNames: ["provider"],
    registers,
    collect() {
      for (const { provider, state } of read()) open.set({ provider }, state === "resting" ? 1 : 0);
    },
  });
  return {
    providerFailed: (failure: { provider: string; kind: ProviderFailure }) => failures.inc(failure),
    watchProviders(health: () => readonly ProviderHealth[]) {
      read = health;
    },
  };
}

/** Counts every failed call, also if a retry succeeds. Failures during shutdown do not count. */
export function countedAnalyst(
  analyst: Analyst,
  { metrics, shutdown }: { metrics: Pick<WorkerMetrics, "providerFailed">; shutdown: AbortSignal },
): Analyst {
  return {
    ...analyst,
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
