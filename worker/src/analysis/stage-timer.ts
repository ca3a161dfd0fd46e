import { z } from "zod";

/** Steps of an analysis, in order; a second request goes through two of them again. */
export const stageSchema = z.enum(["fetching", "analysing", "checking", "sizing"]);
export type Stage = z.infer<typeof stageSchema>;

export interface StageTimer {
  run<Result>(stage: Stage, work: () => Result | Promise<Result>): Promise<Result>;
  durationsMs(): Record<Stage, number>;
}

export function createStageTimer(options: {
  now: () => number;
  onStage?: ((stage: Stage) => void) | undefined;
}): StageTimer {
  const { now, onStage } = options;
  const spentMs = { fetching: 0, analysing: 0, checking: 0, sizing: 0 };
  return {
    async run(stage, work) {
      onStage?.(stage);
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
