import { publishMarkets } from "../publish-markets.ts";
import type { WorkerDeps } from "../worker-deps.ts";
import type { RecurringJob } from "./recurring-jobs.ts";

/** Reads the prices of the markets for the home page. */
export function publishMarketsJob(deps: WorkerDeps): RecurringJob {
  const { database, logger, marketData, now } = deps;
  let failedBefore = "";
  return {
    name: "publish-markets",
    every: "1 minute",
    lockMs: 5 * 60_000,
    async work(abort) {
      const failed = await publishMarkets({ database, logger, marketData, now, abort });
      const changed = failed.join() !== failedBefore;
      failedBefore = failed.join();
      if (changed && !abort.aborted) logger.info({ failed }, "markets without a new price");
    },
  };
}
