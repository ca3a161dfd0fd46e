import type { SystemHealth } from "@shared/contract/admin.ts";
import { priceFeedSchema } from "@shared/contract/market-data.ts";
import { type Database, nativeCollection } from "@shared/database/database.ts";

/** Prices are stored at least every 10 s, those of closed markets every 30 s. */
const CURRENT_MS = 40_000;

/** Markets with live prices now, by kind of feed. */
export async function countPriceFeeds({
  livePrices,
}: Pick<Database, "livePrices">): Promise<SystemHealth["prices"]> {
  const oldest = { $subtract: ["$$NOW", CURRENT_MS] };
  const current = nativeCollection(livePrices).find({ $expr: { $gt: ["$writtenAt", oldest] } });
  const feeds = (await current.project({ _id: 0, feed: 1 }).toArray()).map(({ feed }) =>
    priceFeedSchema.parse(feed),
  );
  const count = (kind: string) => feeds.filter((feed) => feed === kind).length;
  return {
    websocket: count("websocket"),
    polling: count("polling"),
    fallback: count("fallback"),
  };
}
