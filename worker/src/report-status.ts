import type { AnalystName, MarketDataSource } from "@shared/contract/status.ts";
import type { Database } from "@shared/node/database.ts";
import type { Logger } from "@shared/node/logger.ts";
import type { ProviderHealthRecord } from "@shared/node/models/worker-status.ts";
import type { ProviderHealth } from "./providers/guarded-provider.ts";

const REPORT_EVERY_MS = 10_000;

/**
 * Tells the database every few seconds that this worker is alive, what its signals are made from and how its
 * providers are.
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
  const { workerId: id, database, logger, now } = options;
  const startedAt = now();
  const report = () =>
    database.workerStatuses.updateOne(
      { _id: id },
      {
        $set: {
          marketData: options.marketData(),
          analyst: options.analyst,
          concurrency: options.concurrency,
          providers: options.providers().map(toRecord),
          startedAt,
          seenAt: now(),
        },
      },
      { upsert: true },
    );
  await report();
  const timer = setInterval(() => {
    report().catch((error: unknown) => logger.warn({ err: error }, "could not report as alive"));
  }, REPORT_EVERY_MS);
  return {
    async stop() {
      clearInterval(timer);
      await database.workerStatuses.deleteOne({ _id: id });
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
