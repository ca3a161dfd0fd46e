import type { Agenda } from "agenda";
import { CandleArchive } from "../outcomes/candle-archive.ts";
import { resolveOutcomes } from "../outcomes/resolve-outcomes.ts";
import { MarketBackoff } from "../outcomes/schedule.ts";
import type { MarketDataSelection } from "../providers/select-market-data.ts";
import type { WorkerDeps } from "../worker-deps.ts";

const RESOLVE_OUTCOMES_JOB = "resolve-outcomes";
const RESOLVE_EVERY = "5 seconds";
/** Another worker takes over this long after the death of the one that was judging. */
const LOCK_MS = 60_000;
const TOUCH_EVERY_MS = LOCK_MS / 4;

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
export async function defineResolveOutcomesJob(
  agenda: Agenda,
  { sources, ...deps }: OutcomeDeps,
): Promise<{ stop: () => Promise<void> }> {
  const stopping = new AbortController();
  const archive = new CandleArchive(sources);
  const backoff = new MarketBackoff();
  let round: Promise<void> = Promise.resolve();
  const resolve = async () => {
    const judged = await resolveOutcomes({ ...deps, archive, backoff, abort: stopping.signal });
    if (judged > 0) deps.logger.info({ judged }, "signals judged");
  };
  agenda.define(
    RESOLVE_OUTCOMES_JOB,
    async (job) => {
      const touching = setInterval(() => {
        job.touch().catch((error: unknown) => deps.logger.warn({ err: error }, "touch failed"));
      }, TOUCH_EVERY_MS);
      const running = resolve().finally(() => clearInterval(touching));
      round = running.catch(() => undefined);
      await running;
    },
    { concurrency: 1, lockLimit: 1, lockLifetime: LOCK_MS },
  );
  await agenda.every(RESOLVE_EVERY, RESOLVE_OUTCOMES_JOB);
  return {
    async stop() {
      stopping.abort();
      await round;
    },
  };
}
