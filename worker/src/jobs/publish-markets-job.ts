import type { Agenda } from "agenda";
import { publishMarkets } from "../publish-markets.ts";
import type { WorkerDeps } from "../worker-deps.ts";

const PUBLISH_MARKETS_JOB = "publish-markets";
const PUBLISH_EVERY = "1 minute";
/** Longer than a round takes even where every provider is slow; prices of a dead worker are missed that long. */
const LOCK_MS = 5 * 60_000;

/**
 * Defines and schedules the reading of the markets' prices; however many workers there are, one of them does it at a
 * time. `stop` ends a round that is under way.
 */
export async function definePublishMarketsJob(
  agenda: Agenda,
  deps: WorkerDeps,
): Promise<{ stop: () => Promise<void> }> {
  const { database, logger, marketData, now } = deps;
  const stopping = new AbortController();
  let round: Promise<void> = Promise.resolve();
  let failedBefore = "";
  const publish = async () => {
    const abort = stopping.signal;
    const failed = await publishMarkets({ database, logger, marketData, now, abort });
    const changed = failed.join() !== failedBefore;
    failedBefore = failed.join();
    if (changed && !abort.aborted) logger.info({ failed }, "markets without a new price");
  };
  const run = () => {
    const running = publish();
    round = running.catch(() => undefined);
    return running;
  };
  agenda.define(PUBLISH_MARKETS_JOB, run, { concurrency: 1, lockLimit: 1, lockLifetime: LOCK_MS });
  await agenda.every(PUBLISH_EVERY, PUBLISH_MARKETS_JOB);
  return {
    async stop() {
      stopping.abort();
      await round;
    },
  };
}
