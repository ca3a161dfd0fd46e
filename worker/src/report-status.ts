import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import type { AnalystName, MarketDataSource } from "@shared/contract/status.ts";
import type { Database } from "@shared/node/database.ts";
import type { Logger } from "@shared/node/logger.ts";

const REPORT_EVERY_MS = 10_000;

/** Tells the database every few seconds that this worker is alive and what its signals are made from. */
export async function startStatusReports(options: {
  database: Database;
  logger: Logger;
  now: () => Date;
  analyst: AnalystName;
  concurrency: number;
  marketData: () => MarketDataSource;
}): Promise<{ stop: () => Promise<void> }> {
  const { database, logger, now } = options;
  const id = `${hostname()}:${process.pid}:${randomBytes(3).toString("hex")}`;
  const startedAt = now();
  const report = () =>
    database.workerStatuses.updateOne(
      { _id: id },
      {
        $set: {
          marketData: options.marketData(),
          analyst: options.analyst,
          concurrency: options.concurrency,
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
