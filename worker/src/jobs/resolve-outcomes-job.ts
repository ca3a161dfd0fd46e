import { CandleArchive } from "../outcomes/candle-archive.ts";
import { resolveOutcomes } from "../outcomes/resolve-outcomes.ts";
import { MarketBackoff } from "../outcomes/schedule.ts";
import type { MarketDataSelection } from "../providers/select-market-data.ts";
import type { WorkerDeps } from "../worker-deps.ts";
import type { RecurringJob } from "./recurring-jobs.ts";

/** What resolving needs besides the worker's own dependencies. */
export interface OutcomeDeps
  extends Pick<WorkerDeps, "database" | "logger" | "now" | "tradingCosts"> {
  sources: MarketDataSelection["sources"];
}

/** Resolves the outcomes of past signals. */
export function resolveOutcomesJob({ sources, ...deps }: OutcomeDeps): RecurringJob {
  const archive = new CandleArchive(sources);
  const backoff = new MarketBackoff();
  return {
    name: "resolve-outcomes",
    every: "5 seconds",
    lockMs: 60_000,
    async work(abort) {
      const resolved = await resolveOutcomes({ ...deps, archive, backoff, abort });
      if (resolved > 0) deps.logger.info({ resolved }, "outcomes resolved");
    },
  };
}
