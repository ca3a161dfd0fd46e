import type { Agenda } from "agenda";
import { watchEntries } from "../freshness/watch-entries.ts";
import type { WorkerDeps } from "../worker-deps.ts";

const WATCH_ENTRIES_JOB = "watch-entries";
/** Five seconds into every minute: the candles that closed with the minute before are there by then. */
const EVERY_MINUTE = "5 * * * * *";
/** Longer than a round takes; entries are not watched for that long if a worker dies in the middle of one. */
const LOCK_MS = 90_000;

/**
 * Defines and schedules the watch over entries; however many workers there are, one of them does it at a time. `stop`
 * ends a round that is under way.
 */
export async function defineWatchEntriesJob(
  agenda: Agenda,
  deps: WorkerDeps,
): Promise<{ stop: () => Promise<void> }> {
  const { database, logger, marketData, now } = deps;
  const stopping = new AbortController();
  let round: Promise<void> = Promise.resolve();
  let failedBefore = "";
  const watch = async () => {
    const abort = stopping.signal;
    const { left, failedMarkets } = await watchEntries({
      database,
      logger,
      marketData,
      now,
      abort,
    });
    if (left > 0) logger.info({ left }, "entries that are gone");
    const changed = failedMarkets.join() !== failedBefore;
    failedBefore = failedMarkets.join();
    if (changed && !abort.aborted) logger.info({ failedMarkets }, "markets that are not watched");
  };
  const run = () => {
    const running = watch();
    round = running.catch(() => undefined);
    return running;
  };
  agenda.define(WATCH_ENTRIES_JOB, run, { concurrency: 1, lockLimit: 1, lockLifetime: LOCK_MS });
  await agenda.every(EVERY_MINUTE, WATCH_ENTRIES_JOB, {}, { timezone: "UTC" });
  return {
    async stop() {
      stopping.abort();
      await round;
    },
  };
}
