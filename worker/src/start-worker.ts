import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { type Database, openDatabase } from "@shared/database/database.ts";
import { createLogger, type Logger } from "@shared/runtime/logger.ts";
import { runService } from "@shared/runtime/run-service.ts";
import { serveMetrics } from "@shared/runtime/serve-metrics.ts";
import {
  loadWorkerSettings,
  tradingCostTable,
  type WorkerSettings,
} from "@shared/runtime/settings.ts";
import type { Analyst } from "./analysis/analyst.ts";
import { createAnalyst } from "./analysis/select-analyst.ts";
import { startHeartbeat } from "./heartbeat.ts";
import { recurringJobs } from "./jobs/job-definitions.ts";
import { RecurringJobs } from "./jobs/recurring-jobs.ts";
import { SignalQueue } from "./jobs/signal-queue.ts";
import { startCandlePublisher } from "./market-data/publish-candles.ts";
import { startListingPublisher } from "./market-data/publish-markets.ts";
import { createMarketData } from "./market-data/select-market-data.ts";
import { countedAnalyst, createWorkerMetrics } from "./metrics/worker-metrics.ts";
import { startLedgerAppender } from "./record/append-records.ts";
import { runAnalysis } from "./signals/run-analysis.ts";
import type { WorkerDeps } from "./worker-deps.ts";

/** Running analyses are returned to the queue after this time. */
const DRAIN_MS = 20_000;

export interface WorkerServices {
  market: ReturnType<typeof createMarketData>;
  analyst: Analyst;
}

export const createServices = (settings: WorkerSettings, logger: Logger): WorkerServices => ({
  market: createMarketData({ settings, now: Date.now, logger }),
  analyst: createAnalyst(settings),
});

/** Runs a worker as a process. */
export const runWorker = (
  services: (settings: WorkerSettings, logger: Logger) => WorkerServices,
): Promise<void> =>
  runService("worker", loadWorkerSettings, async (settings, uri) => {
    const logger = createLogger({ service: "worker", level: settings.LOG_LEVEL });
    const database = await openDatabase({ uri });
    const worker = await startWorker({
      ...{ settings, database, logger },
      services: services(settings, logger),
    });
    return {
      logger,
      ready: { concurrency: settings.WORKER_CONCURRENCY },
      async stop() {
        await worker.stop();
        await database.close();
      },
    };
  });

interface WorkerOptions {
  settings: WorkerSettings;
  database: Database;
  logger: Logger;
  services: WorkerServices;
}

async function startWorker(options: WorkerOptions): Promise<{ stop: () => Promise<void> }> {
  const { settings, database, logger, services } = options;
  const { market } = services;
  const { WORKER_CONCURRENCY: concurrency, WORKER_METRICS_PORT: port } = settings;
  const workerId = `${hostname()}:${process.pid}:${randomBytes(3).toString("hex")}`;
  const shutdown = new AbortController();
  const deps = createDeps(options, shutdown.signal);
  const { registry } = deps.metrics;
  const endpoint = port === undefined ? undefined : await serveMetrics({ registry, port, logger });
  const queue = new SignalQueue({
    ...{ database, logger, workerId, concurrency },
    run: (analysis, abort) => runAnalysis(deps, analysis, abort),
  });
  await market.probe();
  const model = services.analyst.name === "openai" ? settings.OPENAI_MODEL : services.analyst.name;
  const heartbeat = await startHeartbeat({ ...deps, workerId, concurrency, model, market });
  const listings = startListingPublisher(deps, market.listedSymbols);
  const candles = startCandlePublisher(deps);
  const ledger = startLedgerAppender(deps);
  queue.start();
  const recurring = new RecurringJobs({ database, logger, workerId });
  await recurring.start();
  for (const job of recurringJobs(deps, { market, settings })) {
    await recurring.add(job);
  }
  return {
    async stop() {
      listings.stop();
      await Promise.all([recurring.stop(), candles.stop()]);
      const stopped = queue.stop({ drainMs: DRAIN_MS });
      const cut = setTimeout(() => shutdown.abort(new Error("the worker is stopping")), DRAIN_MS);
      await stopped;
      clearTimeout(cut);
      await ledger.stop();
      await heartbeat.stop();
      market.close();
      endpoint?.close();
    },
  };
}

function createDeps(
  { settings, database, logger, services }: WorkerOptions,
  shutdown: AbortSignal,
): WorkerDeps {
  const metrics = createWorkerMetrics(services.market.health);
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
