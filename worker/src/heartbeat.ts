import type { AnalystName, MarketDataSource } from "@shared/contract/status.ts";
import type { Database } from "@shared/database/database.ts";
import {
  ANALYSIS_SETUP_ID,
  type AnalysisSetupRecord,
  type ProviderHealthRecord,
} from "@shared/database/models/worker-reports.ts";
import type { Logger } from "@shared/runtime/logger.ts";
import type { ProviderHealth } from "./market-data/circuit-breaker.ts";

const REPORT_INTERVAL_MS = 10_000;

/** Reports this worker as active, with the time of the database because the clocks of workers differ. */
export async function startHeartbeat(options: {
  workerId: string;
  database: Database;
  logger: Logger;
  now: () => Date;
  analyst: AnalystName;
  analystVersion: string;
  model: string;
  concurrency: number;
  marketData: () => MarketDataSource;
  providers: () => ProviderHealth[];
}): Promise<{ stop: () => Promise<void> }> {
  const { workerId: _id, database, logger, analyst, concurrency } = options;
  const startedAt = options.now();
  const report = async () => {
    const marketData = options.marketData();
    await reportSetup(options, marketData);
    const providers = options.providers().map(toRecord);
    const status = { $literal: { marketData, analyst, concurrency, providers, startedAt } };
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

async function reportSetup(
  {
    database,
    analyst,
    analystVersion,
    model,
  }: Pick<
    Parameters<typeof startHeartbeat>[0],
    "database" | "analyst" | "analystVersion" | "model"
  >,
  data: MarketDataSource,
): Promise<void> {
  const setup: Omit<AnalysisSetupRecord, "_id"> = { data, analyst, analystVersion, model };
  await database.analysisSetup.updateOne(
    { _id: ANALYSIS_SETUP_ID },
    { $set: setup },
    { upsert: true },
  );
}

const toRecord = ({
  provider,
  state,
  lastSuccessAt,
  lastFailure,
}: ProviderHealth): ProviderHealthRecord => ({
  provider,
  state,
  lastSuccessAt: lastSuccessAt === null ? null : new Date(lastSuccessAt),
  lastFailure: lastFailure && { failure: lastFailure.failure, at: new Date(lastFailure.at) },
});
