import type { Database } from "@shared/node/database.ts";
import type { Logger } from "@shared/node/logger.ts";
import { openQueue } from "@shared/node/queue.ts";
import type { Settings } from "@shared/node/settings.ts";
import { defineCleanUpFilesJob } from "./jobs/clean-up-files-job.ts";
import { defineGenerateSignalJob } from "./jobs/generate-signal-job.ts";
import { definePublishMarketsJob } from "./jobs/publish-markets-job.ts";
import { defineSweepSignalsJob } from "./jobs/sweep-signals-job.ts";
import { createAnalyst } from "./providers/select-analyst.ts";
import { createMarketData } from "./providers/select-market-data.ts";
import { keepListingsPublished } from "./publish-listings.ts";
import { startStatusReports } from "./report-status.ts";
import type { Analyst } from "./signals/analyst.ts";
import type { WorkerDeps } from "./worker-deps.ts";

/** Analyses that are still under way after this time are handed back to the queue. */
const DRAIN_MS = 20_000;

/** The outside services that a worker uses. */
export interface WorkerServices {
  market: ReturnType<typeof createMarketData>;
  analyst: Analyst;
}

/** The services that the settings ask for. */
export function createServices(settings: Settings, logger: Logger): WorkerServices {
  return {
    market: createMarketData({ settings, now: Date.now, logger }),
    analyst: createAnalyst(settings),
  };
}

/** Starts taking signals from the queue; `stop` finishes or hands back what is under way. */
export async function startWorker(options: {
  settings: Settings;
  database: Database;
  logger: Logger;
  services: WorkerServices;
}): Promise<{ stop: () => Promise<void> }> {
  const { settings, database, logger } = options;
  const { market, analyst } = options.services;
  const now = () => new Date();
  const shutdown = new AbortController();
  const deps: WorkerDeps = {
    database,
    logger,
    marketData: market.marketData,
    analyst,
    now,
    shutdown: shutdown.signal,
  };
  const concurrency = settings.WORKER_CONCURRENCY;
  const queue = await openQueue({ database, logger, role: "runs", concurrency });
  const signals = defineGenerateSignalJob(queue, deps);
  await market.probe();
  const reports = await startStatusReports({
    database,
    logger,
    now,
    analyst: analyst.name,
    concurrency,
    marketData: market.currentSource,
  });
  const { listedSymbols } = market;
  const listings = keepListingsPublished({ database, logger, now, listedSymbols });
  await queue.start();
  await defineSweepSignalsJob(queue, deps);
  const markets = await definePublishMarketsJob(queue, deps);
  await defineCleanUpFilesJob(queue, deps);
  return {
    async stop() {
      listings.stop();
      await queue.stop(false);
      await markets.stop();
      const handBack = setTimeout(() => {
        shutdown.abort(new Error("the worker is stopping"));
      }, DRAIN_MS);
      await signals.idle();
      clearTimeout(handBack);
      await reports.stop();
      market.close();
    },
  };
}
