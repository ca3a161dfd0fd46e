import { cleanUpFiles } from "@shared/node/files/clean-up-files.ts";
import type { Agenda } from "agenda";
import type { WorkerDeps } from "../worker-deps.ts";

export const CLEAN_UP_FILES_JOB = "clean-up-files";
const EVERY_NIGHT = "0 3 * * *";

/** A long cleanup is not taken over in the middle; should a worker die in it, the next night does the rest. */
const LOCK_MS = 10 * 60_000;

/** Defines and schedules the nightly cleanup at 03:00 UTC; however many workers there are, one of them does it. */
export async function defineCleanUpFilesJob(
  agenda: Agenda,
  deps: Pick<WorkerDeps, "database" | "logger" | "now">,
): Promise<void> {
  const { database, logger, now } = deps;
  agenda.define(
    CLEAN_UP_FILES_JOB,
    async () => {
      const deleted = await cleanUpFiles({ database, now });
      logger.info({ deleted }, "chart images cleaned up");
    },
    { concurrency: 1, lockLifetime: LOCK_MS },
  );
  await agenda.every(EVERY_NIGHT, CLEAN_UP_FILES_JOB, {}, { timezone: "UTC" });
}
