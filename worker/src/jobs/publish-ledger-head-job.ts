import type { Settings } from "@shared/node/settings.ts";
import { publishLedgerHead } from "../publish-ledger-head.ts";
import type { WorkerDeps } from "../worker-deps.ts";
import type { RecurringJob } from "./recurring-jobs.ts";

/** Publishes the ledger's head every day at 00:00 UTC, and at the start of a worker should it be missing today. */
export function publishLedgerHeadJob(
  deps: Pick<WorkerDeps, "database" | "logger" | "now"> & {
    settings: Pick<Settings, "DATA_DIR" | "LEDGER_WEBHOOK_URL">;
  },
): RecurringJob {
  const { database, logger, now, settings } = deps;
  return {
    name: "publish-ledger-head",
    every: "0 0 * * *",
    // Longer than all tries of the webhook take.
    lockMs: 5 * 60_000,
    runsAtStart: true,
    work: (abort) =>
      publishLedgerHead({
        database,
        logger,
        now,
        dataDir: settings.DATA_DIR,
        webhookUrl: settings.LEDGER_WEBHOOK_URL,
        abort,
      }),
  };
}
