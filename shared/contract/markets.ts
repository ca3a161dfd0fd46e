import * as z from "zod/mini";
import type { MarketDataSource } from "./status.ts";

/** Closes of one quote at most: the last 24 hours of trading. */
export const MARKET_CLOSES = 24;

const dataSources = ["live", "replay"] as const satisfies readonly MarketDataSource[];
const price = z.number().check(z.positive());

/**
 * What one of the product's symbols costs, as its last closed hourly candles say. Prices are in the quote currency;
 * change, high and low cover the last 24 candles; `closes` runs from old to new.
 *
 * In the light variant of zod, as the home page reads it: its first load stays small.
 */
export const marketQuoteSchema = z.object({
  symbol: z.string(),
  price,
  change_percent: z.number(),
  high: price,
  low: price,
  closes: z.array(price).check(z.minLength(1), z.maxLength(MARKET_CLOSES)),
  data: z.enum(dataSources),
  as_of: z.iso.datetime(),
});
export type MarketQuote = z.infer<typeof marketQuoteSchema>;

/** Answer of `GET /markets`; before the first prices are known `updated_at` is null and the list is empty. */
export const marketsSchema = z.object({
  markets: z.array(marketQuoteSchema),
  updated_at: z.nullable(z.iso.datetime()),
});
export type Markets = z.infer<typeof marketsSchema>;
