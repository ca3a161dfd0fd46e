import type { SystemHealth } from "@shared/contract/admin.ts";
import type { PriceFeed } from "@shared/contract/market-data.ts";
import type { Database } from "@shared/database/database.ts";

/** Prices are stored at least every 10 s, those of closed markets every 30 s. */
const CURRENT_MS = 40_000;

/** Markets with live prices now, by kind of feed. */
export async function countPriceFeeds({ livePrices }: Database): Promise<SystemHealth["prices"]> {
  const oldest = { $subtract: ["$$NOW", CURRENT_MS] };
  const current = await livePrices
    .find({ $expr: { $gt: ["$writtenAt", oldest] } })
    .select({ _id: 0, feed: 1 })
    .lean();
  const count = (kind: PriceFeed) => current.filter(({ feed }) => feed === kind).length;
  return {
    websocket: count("websocket"),
    polling: count("polling"),
    fallback: count("fallback"),
  };
}
