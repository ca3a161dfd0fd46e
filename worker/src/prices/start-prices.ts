import { nativeCollection } from "@shared/database/database.ts";
import { PRICE_WATCHER_TIMEOUT_MS } from "@shared/database/models/live-price.ts";
import { repeat } from "@shared/runtime/repeat.ts";
import { Lease } from "../lease.ts";
import { type PriceFeedDeps, PriceFeeds } from "./price-feeds.ts";

const ROUND_INTERVAL_MS = 500;

/** Brings the live prices that servers want. One worker does it for all; if it stops, another goes on in seconds. */
export function startPrices(deps: PriceFeedDeps & { workerId: string }): {
  stop: () => Promise<void>;
} {
  const { database, logger, workerId: owner } = deps;
  const lease = new Lease({ database, name: "prices", owner });
  const feeds = new PriceFeeds(deps);
  const rounds = repeat({
    async work() {
      const isLeader = await lease.hold();
      feeds.watch(isLeader ? await findWatchedSymbols(deps) : new Set());
      feeds.round();
    },
    intervalMs: ROUND_INTERVAL_MS,
    retryMs: ROUND_INTERVAL_MS,
    onError(error) {
      logger.warn({ err: error }, "watched prices not read");
      if (!lease.isHeld) feeds.watch(new Set());
    },
  });
  return {
    async stop() {
      await rounds.stop();
      feeds.watch(new Set());
      await lease.release();
    },
  };
}

async function findWatchedSymbols({
  database,
}: Pick<PriceFeedDeps, "database">): Promise<ReadonlySet<string>> {
  const oldest = { $subtract: ["$$NOW", PRICE_WATCHER_TIMEOUT_MS] };
  const watchers = await nativeCollection(database.priceWatchers)
    .find({ $expr: { $gt: ["$seenAt", oldest] } })
    .toArray();
  return new Set(watchers.flatMap(({ symbols }) => symbols));
}
