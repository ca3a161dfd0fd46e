import type { Agenda } from "agenda";
import { CandleArchive } from "../outcomes/candle-archive.ts";
import { resolveOutcomes } from "../outcomes/resolve-outcomes.ts";
import { MarketBackoff } from "../outcomes/schedule.ts";
import type { MarketDataSelection } from "../providers/select-market-data.ts";
import type { WorkerDeps } from "../worker-deps.ts";
import { defineRound } from "./define-round.ts";

const RESOLVE_OUTCOMES_JOB = "resolve-outcomes";
const RESOLVE_EVERY = "5 seconds";
/** Another worker takes over this long after the death of the one that was judging. */
const LOCK_MS = 60_000;

/** What judging needs besides the worker's own. */
export interface OutcomeDeps extends Pick<WorkerDeps, "database" | "logger" | "now"> {
  sources: MarketDataSelection["sources"];
  /** Cost of a trade, in percent of its notional. */
  feePercent: number;
}

/**
 * Defines and schedules the judging of past signals; however many workers there are, one of them does it at a time.
 * `stop` ends a round that is under way.
 */
export function defineResolveOutcomesJob(
  agenda: Agenda,
  { sources, ...deps }: OutcomeDeps,
): Promise<{ stop: () => Promise<void> }> {
  const archive = new CandleArchive(sources);
  const backoff = new MarketBackoff();
  return defineRound(agenda, deps, {
    name: RESOLVE_OUTCOMES_JOB,
    every: RESOLVE_EVERY,
    lockMs: LOCK_MS,
    renewsLock: true,
    async work(abort) {
      const judged = await resolveOutcomes({ ...deps, archive, backoff, abort });
      if (judged > 0) deps.logger.info({ judged }, "signals judged");
    },
  });
}
