import { refitCalibrations } from "@shared/node/performance/refit-calibrations.ts";
import { refreshPerformance } from "@shared/node/performance/refresh-performance.ts";
import type { WorkerDeps } from "../worker-deps.ts";
import type { RecurringJob } from "./recurring-jobs.ts";

/** The statistics that the performance page is read from, and the calibrations that follow from the same signals. */
export function measurePerformanceJob(
  deps: Pick<WorkerDeps, "database" | "logger" | "now">,
): RecurringJob {
  const { database, logger, now } = deps;
  return {
    name: "measure-performance",
    every: "1 minute",
    lockMs: 5 * 60_000,
    async work(abort) {
      const days = await refreshPerformance({ database, logger, now, abort });
      if (days.length > 0) logger.debug({ days }, "performance measured");
      const fitted = await refitCalibrations({ database, logger, now, abort });
      if (fitted.length > 0) logger.info({ fitted }, "confidence calibrated");
    },
  };
}
