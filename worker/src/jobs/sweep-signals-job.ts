import {
  repairUnfinishedCounts,
  requeueStrandedSignals,
} from "../signals/requeue-stranded-signals.ts";
import type { WorkerDeps } from "../worker-deps.ts";
import type { RecurringJob } from "./recurring-jobs.ts";

/** Repairs what should not happen: signals without a job, and wrong numbers of unfinished signals. */
export function sweepSignalsJob(
  deps: Pick<WorkerDeps, "database" | "logger" | "now">,
): RecurringJob {
  return {
    name: "sweep-signals",
    every: "10 seconds",
    lockMs: 60_000,
    async work() {
      await requeueStrandedSignals(deps);
      await repairUnfinishedCounts(deps);
    },
  };
}
