import type { PipelineRun } from "./measure-pipeline.ts";
import { percentile } from "./percentiles.ts";

/** Milliseconds, from the moment a request was sent to its answer and to the push of its result. */
export interface RunSummary {
  answerP50: number;
  answerP95: number;
  answerP99: number;
  pushP50: number;
  pushP99: number;
  signalsPerSecond: number;
}

/** All signals of several runs taken together; the rate is that of the runs one after the other. */
export function summarizeRuns(runs: readonly PipelineRun[]): RunSummary {
  const times = runs.flatMap((run) => run.times);
  const answers = times.map((time) => time.answerMs);
  const pushes = times.map((time) => time.pushMs);
  const seconds = runs.reduce((sum, run) => sum + run.times.length / run.signalsPerSecond, 0);
  return {
    answerP50: percentile(answers, 0.5),
    answerP95: percentile(answers, 0.95),
    answerP99: percentile(answers, 0.99),
    pushP50: percentile(pushes, 0.5),
    pushP99: percentile(pushes, 0.99),
    signalsPerSecond: times.length / seconds,
  };
}
