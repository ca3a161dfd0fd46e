import * as z from "zod/mini";
import type { MarketDataSource } from "./market-data.ts";

/** Closes per quote: the last 24 hours of trading. */
export const MAX_MARKET_CLOSES = 24;

const dataSources = ["live", "replay"] as const satisfies readonly MarketDataSource[];
const price = z.number().check(z.positive());

/**
 * Price of a suggested symbol from its last closed hourly candles. Change, high and low cover the last 24 candles, and
 * `closes` runs from old to new. Uses zod/mini to keep the first load of the home page small.
 */
export const marketQuoteSchema = z.object({
  symbol: z.string(),
  price,
  change_percent: z.number(),
  high: price,
  low: price,
  closes: z.array(price).check(z.minLength(1), z.maxLength(MAX_MARKET_CLOSES)),
  data: z.enum(dataSources),
  as_of: z.iso.datetime(),
});
export type MarketQuote = z.infer<typeof marketQuoteSchema>;

/** Empty, with `updated_at` null, before the first prices are known. */
export const marketsSchema = z.object({
  markets: z.array(marketQuoteSchema),
  updated_at: z.nullable(z.iso.datetime()),
});
export type Markets = z.infer<typeof marketsSchema>;
