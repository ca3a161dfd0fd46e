import { refitCalibrations } from "@shared/node/performance/refit-calibrations.ts";
import { refreshPerformance } from "@shared/node/performance/refresh-performance.ts";
import type { Agenda, Job } from "agenda";
import type { WorkerDeps } from "../worker-deps.ts";

const MEASURE_PERFORMANCE_JOB = "measure-performance";
const MEASURE_EVERY = "1 minute";

/** After a worker's death the figures stand still that long; a live one renews its lock, as a first round may take longer. */
const LOCK_MS = 5 * 60_000;
const TOUCH_EVERY_MS = LOCK_MS / 4;

/**
 * Defines and schedules the statistics: the sums that the figures are read from, and the calibrations that follow from
 * the same signals. However many workers there are, one of them does it at a time. `stop` ends a round that is under way.
 */
export async function defineMeasurePerformanceJob(
  agenda: Agenda,
  { database, logger, now }: Pick<WorkerDeps, "database" | "logger" | "now">,
): Promise<{ stop: () => Promise<void> }> {
  const stopping = new AbortController();
  let round: Promise<void> = Promise.resolve();
  const measure = async () => {
    const deps = { database, logger, now, abort: stopping.signal };
    const days = await refreshPerformance(deps);
    if (days.length > 0) logger.debug({ days }, "performance measured");
    const fitted = await refitCalibrations(deps);
    if (fitted.length > 0) logger.info({ fitted }, "confidence calibrated");
  };
  const run = async (job: Job) => {
    const touching = setInterval(() => {
      job.touch().catch((error: unknown) => logger.warn({ err: error }, "touch failed"));
    }, TOUCH_EVERY_MS);
    const running = measure().finally(() => clearInterval(touching));
    round = running.catch(() => undefined);
    await running;
  };
  const options = { concurrency: 1, lockLimit: 1, lockLifetime: LOCK_MS };
  agenda.define(MEASURE_PERFORMANCE_JOB, run, options);
  await agenda.every(MEASURE_EVERY, MEASURE_PERFORMANCE_JOB);
  return {
    async stop() {
      stopping.abort();
      await round;
    },
  };
}
