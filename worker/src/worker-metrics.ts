import type { ProviderFailure } from "@shared/contract/admin.ts";
import type { ChannelKind } from "@shared/contract/channel-kinds/channel-kinds.ts";
import { type PriceFeed, priceFeedSchema } from "@shared/contract/market-data.ts";
import type { SubscriptionStep } from "@shared/domain/subscription-schedule.ts";
import { createRegistry } from "@shared/runtime/run-service.ts";
import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import type { Analyst, CallUsage } from "./analysis/analyst.ts";
import type { ProviderHealth } from "./market-data/fallback-market-data.ts";
import { ProviderError } from "./market-data/market-data.ts";

const STAGE_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 80];

export interface FinishedRun {
  status: "completed" | "failed";
  totalMs: number;
  stagesMs?: Record<string, number> | undefined;
  usage?: CallUsage | undefined;
}

export type WorkerMetrics = ReturnType<typeof createWorkerMetrics>;

export function createWorkerMetrics(readProviders: () => readonly ProviderHealth[] = () => []) {
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
    ...addProviderMetrics(registry, readProviders),
    ...addSubscriptionMetrics(registry),
    ...addWatchlistMetrics(registry),
    ...addPriceMetrics(registry),
    ...addDeliveryMetrics(registry),
  };
}

/** `shared`: of an analysis that a user had requested; `missed`: during downtime; `late`: not started in time. */
type ScheduledResult = "queued" | "shared" | "missed" | "late" | "budget";

function addWatchlistMetrics(registry: Registry) {
  const registers = [registry];
  const analyses = new Counter({
    name: "scheduled_analyses_total",
    help: "Analyses of closed candles of watched markets, by what became of them.",
    labelNames: ["result"],
    registers,
  });
  const lag = new Gauge({
    name: "scheduled_analysis_lag_seconds",
    help: "By how much the last scheduled analysis was late when this worker queued it.",
    registers,
  });
  const signals = new Counter({
    name: "watchlist_signals_total",
    help: "Signals made for watchers.",
    registers,
  });
  const fanOut = new Histogram({
    name: "watchlist_fan_out_duration_seconds",
    help: "From the end of an analysis until all watchers have their signals.",
    buckets: STAGE_SECONDS,
    registers,
  });
  return {
    scheduledAnalyses: (result: ScheduledResult, count = 1) => analyses.inc({ result }, count),
    scheduleLag: (seconds: number) => lag.set(seconds),
    watchlistSignals: (count: number) => signals.inc(count),
    fannedOut: (seconds: number) => fanOut.observe(Math.max(0, seconds)),
  };
}

function addPriceMetrics(registry: Registry) {
  const registers = [registry];
  const feeds = new Gauge({
    name: "price_feeds",
    help: "Markets with live prices that this worker brings, by kind of feed. fallback: polled because the WebSocket of the exchange is lost.",
    labelNames: ["feed"],
    registers,
  });
  const lost = new Counter({
    name: "price_feeds_lost_total",
    help: "WebSockets of exchanges that were lost, or could not be opened.",
    labelNames: ["exchange"],
    registers,
  });
  return {
    /** @param current undefined before the first price */
    priceFeeds(current: readonly (PriceFeed | undefined)[]) {
      for (const feed of priceFeedSchema.options) {
        feeds.set({ feed }, current.filter((each) => each === feed).length);
      }
    },
    priceFeedLost: (exchange: string) => lost.inc({ exchange }),
  };
}

function addDeliveryMetrics(registry: Registry) {
  const attempts = new Counter({
    name: "channel_attempts_total",
    help: "Attempts to send messages to channels, by kind and outcome.",
    labelNames: ["kind", "outcome"],
    registers: [registry],
  });
  return {
    deliveryAttempted: (kind: ChannelKind, outcome: string) => attempts.inc({ kind, outcome }),
  };
}

function addSubscriptionMetrics(registry: Registry) {
  const registers = [registry];
  const steps = new Counter({
    name: "subscription_steps_total",
    help: "Monthly credits, reminders, grace periods and endings of subscriptions.",
    labelNames: ["kind"],
    registers,
  });
  const lag = new Gauge({
    name: "subscription_sweep_lag_seconds",
    help: "By how much the oldest step was late when the last sweep of this worker started.",
    registers,
  });
  return {
    subscriptionStep: (kind: SubscriptionStep["kind"]) => steps.inc({ kind }),
    subscriptionLag: (seconds: number) => lag.set(seconds),
  };
}

function addRunMetrics(registry: Registry): (run: FinishedRun) => void {
  const registers = [registry];
  const buckets = STAGE_SECONDS;
  const signals = new Histogram({
    name: "signal_duration_seconds",
    help: "From the request of a signal to its end.",
    labelNames: ["status"],
    buckets,
    registers,
  });
  const stages = new Histogram({
    name: "signal_stage_duration_seconds",
    help: "Duration of each stage of a signal.",
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
  return ({ status, totalMs, stagesMs = {}, usage }) => {
    signals.observe({ status }, totalMs / 1_000);
    for (const [stage, ms] of Object.entries(stagesMs)) stages.observe({ stage }, ms / 1_000);
    if (!usage) return;
    tokens.inc({ model: usage.model, direction: "in" }, usage.promptTokens);
    tokens.inc({ model: usage.model, direction: "out" }, usage.completionTokens);
  };
}

function addProviderMetrics(registry: Registry, read: () => readonly ProviderHealth[]) {
  const registers = [registry];
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
  };
}

/** Counts every failed call, also if a retry succeeds. Failures during shutdown do not count. */
export function countedAnalyst(
  analyst: Analyst,
  metrics: Pick<WorkerMetrics, "providerFailed">,
  shutdown: AbortSignal,
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
