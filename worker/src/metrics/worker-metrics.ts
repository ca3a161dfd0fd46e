import type { ProviderFailure } from "@shared/contract/admin.ts";
import { createRegistry } from "@shared/runtime/run-service.ts";
import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import type { ProviderHealth } from "../market-data/circuit-breaker.ts";

/** Upper ends in seconds: from an indicator to a model that thinks. */
const STAGE_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 80];

/** One run of a signal that came to its end. */
export interface FinishedRun {
  status: "completed" | "failed";
  /** From its request to its end. */
  totalMs: number;
  /** How long each stage took, if it got that far. */
  stagesMs?: Record<string, number> | undefined;
  tokens?: { model: string; prompt: number; completion: number } | undefined;
}

/** What a worker counts of itself, as its `GET /metrics` tells it. */
export interface WorkerMetrics {
  readonly registry: Registry;
  runStarted(): void;
  /** Ends what `runStarted` began; without a result when the run was handed back. */
  runEnded(finished?: FinishedRun): void;
  /** One call of an outside service was of no use, be it that the next one is. */
  providerFailed: ProviderFigures["failed"];
  /** From now on the providers of candles are watched by this. */
  watchProviders: ProviderFigures["watch"];
}

/** Makes the worker's register. */
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

/** @returns what counts one finished run */
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

/** What is told of outside services: market data and AI alike. */
interface ProviderFigures {
  failed(failure: { provider: string; kind: ProviderFailure }): void;
  /** From now on providers of candles are read here; what has failed in them since is counted too. */
  watch(read: () => readonly ProviderHealth[]): void;
}

/** Adds the figures of outside services. Providers are looked at when the figures are asked for. */
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
