import type { Settings } from "@shared/node/settings.ts";
import { publishLedgerHead } from "../publish-ledger-head.ts";
import type { WorkerDeps } from "../worker-deps.ts";
import type { RecurringJob } from "./recurring-jobs.ts";

/** Publishes the ledger's head every day at 00:00 UTC, and at the start of a worker should it be missing today. */
export function publishLedgerHeadJob(
  deps: Pick<WorkerDeps, "database" | "logger" | "now"> & {
    settings: Pick<Settings, "DATA_DIR">;
  },
): RecurringJob {
  const { database, logger, now, settings } = deps;
  return {
    name: "publish-ledger-head",
    every: "0 0 * * *",
    lockMs: 60_000,
    runsAtStart: true,
    work: () => publishLedgerHead({ database, logger, now, dataDir: settings.DATA_DIR }),
  };
}
