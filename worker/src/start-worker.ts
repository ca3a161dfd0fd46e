import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import type { Database } from "@shared/database/database.ts";
import type { Logger } from "@shared/runtime/logger.ts";
import { type Settings, tradingCostTable } from "@shared/runtime/settings.ts";
import type { Analyst } from "./analysis/analyst.ts";
import { createAnalyst } from "./analysis/select-analyst.ts";
import { startHeartbeat } from "./heartbeat.ts";
import {
  cleanUpFilesJob,
  measurePerformanceJob,
  publishLedgerHeadJob,
  publishMarketsJob,
  resolveOutcomesJob,
  sweepSignalsJob,
  watchEntriesJob,
  witnessLedgerHeadsJob,
} from "./jobs/job-definitions.ts";
import { RecurringJobs } from "./jobs/recurring-jobs.ts";
import { SignalQueue } from "./jobs/signal-queue.ts";
import { startListingPublisher } from "./market-data/publish-listings.ts";
import { createMarketData } from "./market-data/select-market-data.ts";
import { countedAnalyst } from "./metrics/counted-analyst.ts";
import { serveMetrics } from "./metrics/serve-metrics.ts";
import { createWorkerMetrics, type WorkerMetrics } from "./metrics/worker-metrics.ts";
import { startLedgerAppender } from "./record/ledger-appender.ts";
import { runAnalysis } from "./signals/run-analysis.ts";
import type { WorkerDeps } from "./worker-deps.ts";

/** Running analyses are returned to the queue after this time. */
const DRAIN_MS = 20_000;

export interface WorkerServices {
  market: ReturnType<typeof createMarketData>;
  analyst: Analyst;
}

export function createServices(settings: Settings, logger: Logger): WorkerServices {
  return {
    market: createMarketData({ settings, now: Date.now, logger }),
    analyst: createAnalyst(settings),
  };
}

/** `stop` finishes running analyses or returns them to the queue. */
export async function startWorker(options: {
  settings: Settings;
  database: Database;
  logger: Logger;
  services: WorkerServices;
}): Promise<{ stop: () => Promise<void> }> {
  const { settings, database, logger, services } = options;
  const { market } = services;
  const shutdown = new AbortController();
  const deps = assembleDeps({ ...options, shutdown: shutdown.signal });
  const endpoint = await openMetrics(deps.metrics, { settings, logger });
  const concurrency = settings.WORKER_CONCURRENCY;
  const workerId = newWorkerId();
  const queue = new SignalQueue({
    ...{ database, logger, workerId, concurrency },
    run: (analysis, abort) => runAnalysis(deps, analysis, abort),
  });
  await market.probe();
  const model = services.analyst.name === "openai" ? settings.OPENAI_MODEL : services.analyst.name;
  const reports = await startReports(deps, { workerId, concurrency, market, model });
  const listings = startListingPublisher({ ...deps, listedSymbols: market.listedSymbols });
  const ledger = startLedgerAppender(deps);
  queue.start();
  const recurring = await startRecurringJobs(deps, { workerId, market, settings });
  return {
    async stop() {
      listings.stop();
      await recurring.stop();
      const stopped = queue.stop({ drainMs: DRAIN_MS });
      const cut = setTimeout(() => shutdown.abort(new Error("the worker is stopping")), DRAIN_MS);
      await stopped;
      clearTimeout(cut);
      await ledger.stop();
      await reports.stop();
      market.close();
      endpoint?.close();
    },
  };
}

async function startRecurringJobs(
  deps: WorkerDeps,
  options: { workerId: string; market: WorkerServices["market"]; settings: Settings },
): Promise<RecurringJobs> {
  const { workerId, market, settings } = options;
  const jobs = new RecurringJobs({ ...deps, workerId });
  await jobs.start();
  const definitions = [
    sweepSignalsJob(deps),
    cleanUpFilesJob(deps),
    publishMarketsJob(deps),
    watchEntriesJob(deps),
    resolveOutcomesJob({ ...deps, sources: market.sources }),
    measurePerformanceJob(deps),
    publishLedgerHeadJob({ ...deps, settings }),
    witnessLedgerHeadsJob({ ...deps, settings }),
  ];
  for (const job of definitions) await jobs.add(job);
  return jobs;
}

function assembleDeps(options: {
  settings: Settings;
  database: Database;
  logger: Logger;
  services: WorkerServices;
  shutdown: AbortSignal;
}): WorkerDeps {
  const { settings, database, logger, services, shutdown } = options;
  const metrics = createWorkerMetrics();
  metrics.watchProviders(services.market.health);
  return {
    database,
    logger,
    marketData: services.market.marketData,
    analyst: countedAnalyst(services.analyst, { metrics, shutdown }),
    metrics,
    tradingCosts: tradingCostTable(settings),
    budgetUsdPerDay: settings.OPENAI_BUDGET_USD_PER_DAY,
    now: () => new Date(),
    shutdown,
  };
}

function startReports(
  { database, logger, now, analyst }: WorkerDeps,
  worker: Pick<WorkerServices, "market"> & { workerId: string; concurrency: number; model: string },
) {
  const { workerId, concurrency, market, model } = worker;
  const sources = { marketData: market.currentSource, providers: market.health };
  const made = { analyst: analyst.name, analystVersion: analyst.version, model };
  const about = { workerId, concurrency, ...made, ...sources };
  return startHeartbeat({ ...about, database, logger, now });
}

async function openMetrics(
  { registry }: WorkerMetrics,
  { settings, logger }: { settings: Settings; logger: Logger },
): Promise<{ close: () => void } | undefined> {
  const { WORKER_METRICS_PORT: port } = settings;
  return port === undefined ? undefined : serveMetrics({ registry, port, logger });
}

const newWorkerId = (): string => `${hostname()}:${process.pid}:${randomBytes(3).toString("hex")}`;
