import { cleanUpFiles } from "@shared/node/files/clean-up-files.ts";
import type { WorkerDeps } from "../worker-deps.ts";
import type { RecurringJob } from "./recurring-jobs.ts";

/** The nightly cleanup of files at 03:00 UTC. */
export function cleanUpFilesJob(
  deps: Pick<WorkerDeps, "database" | "logger" | "now">,
): RecurringJob {
  const { database, logger, now } = deps;
  return {
    name: "clean-up-files",
    every: "0 3 * * *",
    lockMs: 10 * 60_000,
    async work() {
      const deleted = await cleanUpFiles({ database, now });
      logger.info({ deleted }, "chart images cleaned up");
    },
  };
}
