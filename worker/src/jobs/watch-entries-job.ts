import { watchEntries } from "../freshness/watch-entries.ts";
import type { WorkerDeps } from "../worker-deps.ts";
import type { RecurringJob } from "./recurring-jobs.ts";

/** Finds the signals whose entry has been missed. */
export function watchEntriesJob(deps: WorkerDeps): RecurringJob {
  const { database, logger, marketData, now } = deps;
  let failedBefore = "";
  return {
    name: "watch-entries",
    // Five seconds into every minute: the candles that closed with the minute before are there by then.
    every: "5 * * * * *",
    lockMs: 90_000,
    async work(abort) {
      const { left, failedMarkets } = await watchEntries({
        ...{ database, logger, marketData, now, abort },
      });
      if (left > 0) logger.info({ left }, "entries missed");
      const changed = failedMarkets.join() !== failedBefore;
      failedBefore = failedMarkets.join();
      if (changed && !abort.aborted) logger.info({ failedMarkets }, "markets that are not watched");
    },
  };
}
