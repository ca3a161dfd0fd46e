import type { Database } from "@shared/database/database.ts";
import { ANALYSIS_SETUP_ID } from "@shared/database/models/worker-reports.ts";
import type { Logger } from "@shared/runtime/logger.ts";
import type { Analyst } from "./analysis/analyst.ts";
import type { MarketDataSelection } from "./market-data/select-market-data.ts";

const REPORT_INTERVAL_MS = 10_000;

/** Reports this worker as active, with the time of the database because the clocks of workers differ. */
export async function startHeartbeat(options: {
  workerId: string;
  database: Database;
  logger: Logger;
  now: () => Date;
  analyst: Pick<Analyst, "name" | "version">;
  model: string;
  concurrency: number;
  market: Pick<MarketDataSelection, "currentSource" | "health">;
}): Promise<{ stop: () => Promise<void> }> {
  const { workerId: _id, database, logger, analyst, model, concurrency, market } = options;
  const startedAt = options.now();
  const report = async () => {
    const data = market.currentSource();
    await database.analysisSetup.updateOne(
      { _id: ANALYSIS_SETUP_ID },
      { $set: { data, analyst: analyst.name, analystVersion: analyst.version, model } },
      { upsert: true },
    );
    const providers = market.health().map(({ failures: _failures, ...health }) => health);
    const made = { marketData: data, analyst: analyst.name };
    const status = { $literal: { ...made, concurrency, providers, startedAt } };
    await database.workerStatuses.updateOne(
      { _id },
      [{ $replaceWith: { $mergeObjects: [status, { _id, seenAt: "$$NOW" }] } }],
      { upsert: true, updatePipeline: true },
    );
  };
  await report();
  const timer = setInterval(() => {
    report().catch((error: unknown) => logger.warn({ err: error }, "could not report as active"));
  }, REPORT_INTERVAL_MS);
  return {
    async stop() {
      clearInterval(timer);
      await database.workerStatuses.deleteOne({ _id });
    },
  };
}
