import { z } from "zod";

/** Steps of making a signal, in order; a corrected answer goes through the second and third once more. */
export const stageSchema = z.enum(["fetching", "analysing", "checking", "sizing"]);
export type Stage = z.infer<typeof stageSchema>;

/** Runs the stages of one signal and adds up how long each took. */
export interface StageTimer {
  run<Result>(stage: Stage, work: () => Result | Promise<Result>): Promise<Result>;
  /** Milliseconds of each stage so far. */
  durationsMs(): Record<Stage, number>;
}

/** `now` gives Unix milliseconds; `onStage` hears of every stage as it begins. */
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
