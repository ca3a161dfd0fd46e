import { repeat } from "../repeat.ts";
import type { WorkerDeps } from "../worker-deps.ts";
import { appendRecords } from "./append-records.ts";

const POLL_INTERVAL_MS = 1_000;
const RETRY_MS = 5_000;

/** Appends finished analyses and outcomes to the ledger. Safe to run in every worker. */
export function startLedgerAppender({
  database,
  logger,
  now,
}: Pick<WorkerDeps, "database" | "logger" | "now">): { stop: () => Promise<void> } {
  return repeat({
    async work(stopping) {
      let appended: number;
      do {
        appended = await appendRecords({ database, now });
        if (appended > 0) logger.debug({ appended }, "ledger records appended");
      } while (appended > 0 && !stopping.aborted);
    },
    intervalMs: POLL_INTERVAL_MS,
    retryMs: RETRY_MS,
    onError: (error) => logger.warn({ err: error }, "could not append to the ledger"),
  });
}
