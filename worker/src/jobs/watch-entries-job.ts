import type { Agenda } from "agenda";
import { watchEntries } from "../freshness/watch-entries.ts";
import type { WorkerDeps } from "../worker-deps.ts";
import { defineRound } from "./define-round.ts";

const WATCH_ENTRIES_JOB = "watch-entries";
/** Five seconds into every minute: the candles that closed with the minute before are there by then. */
const EVERY_MINUTE = "5 * * * * *";
/** Longer than a round takes; entries are not watched for that long if a worker dies in the middle of one. */
const LOCK_MS = 90_000;

/**
 * Defines and schedules the watch over entries; however many workers there are, one of them does it at a time. `stop`
 * ends a round that is under way.
 */
export function defineWatchEntriesJob(
  agenda: Agenda,
  deps: WorkerDeps,
): Promise<{ stop: () => Promise<void> }> {
  const { database, logger, marketData, now } = deps;
  let failedBefore = "";
  return defineRound(agenda, deps, {
    name: WATCH_ENTRIES_JOB,
    every: EVERY_MINUTE,
    lockMs: LOCK_MS,
    async work(abort) {
      const watched = await watchEntries({ database, logger, marketData, now, abort });
      const { left, failedMarkets } = watched;
      if (left > 0) logger.info({ left }, "entries that are gone");
      const changed = failedMarkets.join() !== failedBefore;
      failedBefore = failedMarkets.join();
      if (changed && !abort.aborted) logger.info({ failedMarkets }, "markets that are not watched");
    },
  });
}
