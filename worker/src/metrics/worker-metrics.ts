import type { ProviderFailure } from "@shared/contract/admin.ts";
import { createRegistry } from "@shared/runtime/run-service.ts";
import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import type { ProviderHealth } from "../market-data/circuit-breaker.ts";

const STAGE_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 80];

export interface FinishedRun {
  status: "completed" | "failed";
  totalMs: number;
  stagesMs?: Record<string, number> | undefined;
  tokens?: { model: string; prompt: number; completion: number } | undefined;
}

export interface WorkerMetrics {
  readonly registry: Registry;
  runStarted(): void;
  /** Without a result if the run was returned to the queue. */
  runEnded(finished?: FinishedRun): void;
  providerFailed: ProviderFigures["failed"];
  watchProviders: ProviderFigures["watch"];
}

export function createWorkerMetrics(): WorkerMetrics {
  const registry = createRegistry("worker");
  const running = addGauge(registry);
  const providers = addProviderFigures(registry);
  const count = addRunFigures(registry);
  return {
    registry,
    runStarted: () => running.inc(),
    runEnded(finished) {
      running.dec();
      if (finished) count(finished);
    },
    providerFailed: providers.failed,
    watchProviders: providers.watch,
  };
}

function addGauge(registry: Registry): Gauge {
  return new Gauge({
    name: "analyses_in_flight",
    help: "Signals that this worker is making.",
    registers: [registry],
  });
}

function addRunFigures(registry: Registry): (run: FinishedRun) => void {
  const registers = [registry];
  const buckets = STAGE_SECONDS;
  const signals = new Histogram({
    name: "signal_duration_seconds",
    help: "From a signal's request to its end.",
    labelNames: ["status"],
    buckets,
    registers,
  });
  const stages = new Histogram({
    name: "signal_stage_duration_seconds",
    help: "How long each stage of a signal took.",
    labelNames: ["stage"],
    buckets,
    registers,
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

interface ProviderFigures {
  failed(failure: { provider: string; kind: ProviderFailure }): void;
  watch(read: () => readonly ProviderHealth[]): void;
}

/** Providers are read when the metrics are requested. */
function addProviderFigures(registry: Registry): ProviderFigures {
  const registers = [registry];
  let read: () => readonly ProviderHealth[] = () => [];
  const told = new Map<string, number>();
  const failures: Counter<"provider" | "kind"> = new Counter({
    name: "provider_failures_total",
    help: "Questions to an outside service that failed, whether or not another one or another try made up for it.",
    labelNames: ["provider", "kind"],
    registers,
    collect() {
      for (const { provider, kind, count } of read().flatMap(failuresOf)) {
        const key = `${provider} ${kind}`;
        failures.inc({ provider, kind }, count - (told.get(key) ?? 0));
        told.set(key, count);
      }
    },
  });
  const open: Gauge<"provider"> = new Gauge({
    name: "provider_circuit_open",
    help: "1 while a provider of candles is not called for any market, as its connection or most of its markets fail.",
    labelNames: ["provider"],
    registers,
    collect() {
      for (const { provider, state } of read()) open.set({ provider }, state === "resting" ? 1 : 0);
    },
  });
  return {
    failed: (failure) => failures.inc(failure),
    watch(health) {
      read = health;
    },
  };
}

const failuresOf = ({ provider, failures }: ProviderHealth) =>
  [...failures].map(([kind, count]) => ({ provider, kind, count }));
