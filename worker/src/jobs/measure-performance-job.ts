import { refitCalibrations } from "@shared/node/performance/refit-calibrations.ts";
import { refreshPerformance } from "@shared/node/performance/refresh-performance.ts";
import type { Agenda } from "agenda";
import type { WorkerDeps } from "../worker-deps.ts";
import { defineRound } from "./define-round.ts";

const MEASURE_PERFORMANCE_JOB = "measure-performance";
const MEASURE_EVERY = "1 minute";

/** After a worker's death the figures stand still that long; a live one renews its lock, as a first round may take longer. */
const LOCK_MS = 5 * 60_000;

/**
 * Defines and schedules the statistics: the sums that the figures are read from, and the calibrations that follow from
 * the same signals. However many workers there are, one of them does it at a time. `stop` ends a round that is under way.
 */
export function defineMeasurePerformanceJob(
  agenda: Agenda,
  { database, logger, now }: Pick<WorkerDeps, "database" | "logger" | "now">,
): Promise<{ stop: () => Promise<void> }> {
  return defineRound(
    agenda,
    { logger },
    {
      name: MEASURE_PERFORMANCE_JOB,
      every: MEASURE_EVERY,
      lockMs: LOCK_MS,
      renewsLock: true,
      async work(abort) {
        const deps = { database, logger, now, abort };
        const days = await refreshPerformance(deps);
        if (days.length > 0) logger.debug({ days }, "performance measured");
        const fitted = await refitCalibrations(deps);
        if (fitted.length > 0) logger.info({ fitted }, "confidence calibrated");
      },
    },
  );
}
