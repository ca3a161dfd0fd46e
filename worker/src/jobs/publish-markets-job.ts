import type { Agenda } from "agenda";
import { publishMarkets } from "../publish-markets.ts";
import type { WorkerDeps } from "../worker-deps.ts";
import { defineRound } from "./define-round.ts";

const PUBLISH_MARKETS_JOB = "publish-markets";
const PUBLISH_EVERY = "1 minute";
/** Longer than a round takes even where every provider is slow; prices of a dead worker are missed that long. */
const LOCK_MS = 5 * 60_000;

/**
 * Defines and schedules the reading of the markets' prices; however many workers there are, one of them does it at a
 * time. `stop` ends a round that is under way.
 */
export function definePublishMarketsJob(
  agenda: Agenda,
  deps: WorkerDeps,
): Promise<{ stop: () => Promise<void> }> {
  const { database, logger, marketData, now } = deps;
  let failedBefore = "";
  return defineRound(agenda, deps, {
    name: PUBLISH_MARKETS_JOB,
    every: PUBLISH_EVERY,
    lockMs: LOCK_MS,
    async work(abort) {
      const failed = await publishMarkets({ database, logger, marketData, now, abort });
      const changed = failed.join() !== failedBefore;
      failedBefore = failed.join();
      if (changed && !abort.aborted) logger.info({ failed }, "markets without a new price");
    },
  });
}
