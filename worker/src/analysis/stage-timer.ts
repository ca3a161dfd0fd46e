import { z } from "zod";

/** Steps of an analysis, in order; a second request goes through two of them again. */
export const stageSchema = z.enum(["fetching", "analysing", "checking", "sizing"]);
type Stage = z.infer<typeof stageSchema>;

/** Measures the stages of an analysis. */
export interface StageTimer {
  run<Result>(stage: Stage, work: () => Result | Promise<Result>): Promise<Result>;
  durationsMs(): Record<Stage, number>;
}

export function createStageTimer(now: () => number): StageTimer {
  const spentMs = { fetching: 0, analysing: 0, checking: 0, sizing: 0 };
  return {
    async run(stage, work) {
      const startedAt = now();
      try {
        return await work();
      } finally {
        spentMs[stage] += now() - startedAt;
      }
    },
    durationsMs: () => ({ ...spentMs }),
  };
}
