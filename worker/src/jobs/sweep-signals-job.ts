import type { Agenda } from "agenda";
import { sweepSignals } from "../signals/sweep-signals.ts";
import type { WorkerDeps } from "../worker-deps.ts";

const SWEEP_SIGNALS_JOB = "sweep-signals";
const SWEEP_EVERY = "10 seconds";

/** Defines and schedules the sweep; however many workers there are, one of them does it at a time. */
export async function defineSweepSignalsJob(agenda: Agenda, deps: WorkerDeps): Promise<void> {
  agenda.define(SWEEP_SIGNALS_JOB, () => sweepSignals(agenda, deps), { concurrency: 1 });
  await agenda.every(SWEEP_EVERY, SWEEP_SIGNALS_JOB);
}
