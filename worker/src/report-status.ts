import type { AnalystName, MarketDataSource } from "@shared/contract/status.ts";
import type { Database } from "@shared/node/database.ts";
import type { Logger } from "@shared/node/logger.ts";
import type { ProviderHealthRecord } from "@shared/node/models/worker-status.ts";
import type { ProviderHealth } from "./providers/guarded-provider.ts";

const REPORT_INTERVAL_MS = 10_000;

/**
 * Reports every few seconds that this worker is active, what its signals are made from and how its providers are. The
 * time is the database's, so that workers whose clocks differ agree on who is active.
 */
export async function startStatusReports(options: {
  workerId: string;
  database: Database;
  logger: Logger;
  now: () => Date;
  analyst: AnalystName;
  concurrency: number;
  marketData: () => MarketDataSource;
  providers: () => ProviderHealth[];
}): Promise<{ stop: () => Promise<void> }> {
  const { workerId: _id, database, logger, analyst, concurrency } = options;
  const startedAt = options.now();
  const report = () => {
    const marketData = options.marketData();
    const providers = options.providers().map(toRecord);
    const status = { $literal: { marketData, analyst, concurrency, providers, startedAt } };
    return database.workerStatuses.updateOne(
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
