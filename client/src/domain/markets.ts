import { type MarketQuote, marketsSchema } from "@shared/contract/markets.ts";
import { useQuery } from "@tanstack/react-query";
import { readPublic } from "../lib/public-api.ts";
import type { CurrentPrice } from "../lib/realtime/live-prices.ts";

const REFRESH_INTERVAL_MS = 60_000;

/** The latest prices of the product's own symbols. */
export const useMarkets = () =>
  useQuery({
    queryKey: ["markets"],
    queryFn: ({ signal }) => readPublic({ path: "/markets", schema: marketsSchema, signal }),
    refetchInterval: REFRESH_INTERVAL_MS,
    staleTime: REFRESH_INTERVAL_MS,
  });

/** The quote with the live price of the market, if there is a newer one. */
export function liveQuote(quote: MarketQuote, live: CurrentPrice | null): MarketQuote {
  if (!live || live.at < quote.as_of) return quote;
  const { price, at } = live;
  const base = quote.price / (1 + quote.change_percent / 100);
  const high = Math.max(quote.high, price);
  const low = Math.min(quote.low, price);
  return { ...quote, price, high, low, change_percent: (price / base - 1) * 100, as_of: at };
}
