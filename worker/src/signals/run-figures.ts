import type { RunResult } from "@shared/node/signals/finish-runs.ts";
import type { FinishedRun } from "../metrics/worker-metrics.ts";
import { signalReceiptSchema } from "./receipt.ts";

const timedSchema = signalReceiptSchema.pick({ durationsMs: true });

/** What the worker counts of a run; `totalMs` is the time from its request to its end. */
export function runFigures({ status, receipt, usage }: RunResult, totalMs: number): FinishedRun {
  return {
    status,
    totalMs,
    stagesMs: timedSchema.safeParse(receipt).data?.durationsMs,
    tokens: usage && {
      model: usage.model,
      prompt: usage.promptTokens,
      completion: usage.completionTokens,
    },
  };
}
