import { GENERATE_SIGNAL_JOB, readSignalJob } from "@shared/node/queue/signal-job.ts";
import { JOB_LOCK_MS } from "@shared/node/queue.ts";
import type { Agenda } from "agenda";
import { runSignal } from "../signals/run-signal.ts";
import type { WorkerDeps } from "../worker-deps.ts";

/** Several signs of life fit into one lock, so that a slow database does not cost a live worker its job. */
const TOUCH_EVERY_MS = JOB_LOCK_MS / 3;

/**
 * Defines the job that generates a signal; its lock is renewed for as long as the work goes on.
 * @returns `idle`, which resolves once no such job is at work in this process
 */
export function defineGenerateSignalJob(
  agenda: Agenda,
  deps: WorkerDeps,
): { idle: () => Promise<void> } {
  const running = new Set<Promise<void>>();
  agenda.define(GENERATE_SIGNAL_JOB, async (job) => {
    const signal = readSignalJob(job.attrs.data);
    const signalId = String(signal._id);
    const touching = setInterval(() => {
      job
        .touch()
        .catch((error: unknown) => deps.logger.warn({ err: error, signalId }, "touch failed"));
    }, TOUCH_EVERY_MS);
    const run = runSignal(deps, signal);
    running.add(run);
    try {
      await run;
    } catch (error) {
      deps.logger.warn({ err: error, signalId }, "run came to no end, left to the sweep");
      throw error;
    } finally {
      clearInterval(touching);
      running.delete(run);
    }
  });
  return {
    async idle() {
      await Promise.allSettled(running);
    },
  };
}
