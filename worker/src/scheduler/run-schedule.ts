import { MINUTE_MS } from "@shared/contract/durations.ts";
import { lastCandleClose } from "@shared/domain/queue-analysis.ts";
import { type PlanDeps, planCloses } from "./plan-closes.ts";
import { type QueueDeps, queueDueAnalyses } from "./queue-scheduled.ts";

/** Longer than the time between two runs of the job. */
const LOOK_AHEAD_MS = 10_000;

/** Analyses that are due within this time are queued together. */
const MIN_PAUSE_MS = 500;

export type ScheduleDeps = QueueDeps &
  PlanDeps & {
    abort: AbortSignal;
    /** The clock of the database. */
    readTime: () => Promise<Date>;
    pause: (timeMs: number, abort: AbortSignal) => Promise<void>;
  };

/** Plans and queues what is due, and what becomes due before the next run of the job, each at its time. */
export async function runSchedule(deps: ScheduleDeps): Promise<void> {
  const { abort, readTime, pause } = deps;
  while (!abort.aborted) {
    const at = await readTime();
    await planCloses(deps, at);
    await queueDueAnalyses(deps, at);
    const waitMs = (await nextDueAt(deps, at)) - at.getTime();
    if (waitMs > LOOK_AHEAD_MS) return;
    await pause(Math.max(waitMs, MIN_PAUSE_MS), abort);
  }
}

/** The next planned analysis or the next close of the shortest candle, in Unix milliseconds. */
async function nextDueAt({ database }: ScheduleDeps, at: Date): Promise<number> {
  const next = await database.scheduledAnalyses
    .findOne({ status: "planned" })
    .sort({ dueAt: 1 })
    .lean();
  const nextCloseAt = lastCandleClose("1m", at).getTime() + MINUTE_MS;
  return Math.min(next?.dueAt.getTime() ?? Number.POSITIVE_INFINITY, nextCloseAt);
}
