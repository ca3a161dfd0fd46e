import { z } from "zod";
import {
  DAY_MS,
  HOUR_MS,
  MAX_WATCHED_PRICES,
  MINUTE_MS,
  SIGNAL_DEFAULTS,
  SIGNAL_LIMITS,
  TIMEFRAMES,
} from "./constants.ts";

export const symbolSchema = z
  .string({ error: "Enter a symbol." })
  .trim()
  .toUpperCase()
  .min(SIGNAL_LIMITS.symbolLength.min, { error: "Enter a symbol of at least 2 characters." })
  .max(SIGNAL_LIMITS.symbolLength.max, { error: "Enter a symbol of at most 20 characters." })
  .regex(/^[A-Z0-9/.-]+$/, { error: "Use letters, digits, / . and - only." })
  .meta({ examples: [SIGNAL_DEFAULTS.symbol], description: "Lower case counts as upper case" });

export const timeframeSchema = z.enum(TIMEFRAMES);
export type Timeframe = z.infer<typeof timeframeSchema>;

/** Length of a candle in milliseconds. */
export const TIMEFRAME_MS: Record<Timeframe, number> = {
  "1m": MINUTE_MS,
  "5m": 5 * MINUTE_MS,
  "15m": 15 * MINUTE_MS,
  "30m": 30 * MINUTE_MS,
  "1h": HOUR_MS,
  "4h": 4 * HOUR_MS,
  "1d": DAY_MS,
};

/** `time` is the opening time in Unix milliseconds. */
export const candleSchema = z
  .object({
    time: z.number().int().nonnegative(),
    open: z.number().positive(),
    high: z.number().positive(),
    low: z.number().positive(),
    close: z.number().positive(),
    volume: z.number().nonnegative(),
  })
  .refine(
    ({ open, high, low, close }) => high >= Math.max(open, close) && low <= Math.min(open, close),
    { error: "high and low do not enclose open and close" },
  );
export type Candle = z.infer<typeof candleSchema>;

export const MAX_MARKET_CANDLES = 500;

/** Closed candles of a market, oldest first, and the open one last. */
export const marketCandlesSchema = z
  .object({
    symbol: z.string(),
    timeframe: timeframeSchema,
    /** The provider, or `replay`. */
    source: z.string(),
    candles: z.array(candleSchema.safeExtend({ closed: z.boolean() })),
    /** When the market opens; null while it is open. */
    opens_at: z.iso.datetime().nullable(),
    /** Delay with which the provider publishes. */
    delay_ms: z.number().int().nonnegative(),
  })
  .meta({ id: "MarketCandles" });
export type MarketCandles = z.infer<typeof marketCandlesSchema>;

export const signalCandlesSchema = z
  .object({
    signal_id: z.string(),
    symbol: z.string(),
    timeframe: timeframeSchema,
    candles: z.array(candleSchema),
  })
  .meta({ id: "SignalCandles" });
export type SignalCandles = z.infer<typeof signalCandlesSchema>;

export const marketDataSourceSchema = z.enum(["live", "replay"]);
export type MarketDataSource = z.infer<typeof marketDataSourceSchema>;

export const analystNameSchema = z.enum(["openai", "rules"]);
export type AnalystName = z.infer<typeof analystNameSchema>;

/** Sources of a signal that is requested now. */
export const statusSchema = z
  .object({
    market_data: marketDataSourceSchema,
    analyst: analystNameSchema,
    version: z.string(),
    /** Markets whose live prices are polled because the WebSocket of their exchange is lost; absent without any. */
    lost_price_feeds: z.number().int().positive().optional(),
  })
  .meta({ id: "Status" });
export type Status = z.infer<typeof statusSchema>;

/** Payload of `prices:watch`. Replaces the symbols that the socket watched before. */
export const watchPricesSchema = z.object({
  symbols: z
    .array(symbolSchema)
    .max(MAX_WATCHED_PRICES, { error: `Watch at most ${MAX_WATCHED_PRICES} symbols.` })
    .transform((symbols) => [...new Set(symbols)]),
});

/** Acknowledgement of `prices:watch`. On an error, the former symbols stay watched. */
export const watchedPricesSchema = z.union([
  z.object({ symbols: z.array(z.string()) }),
  z.object({ error: z.object({ code: z.string(), detail: z.string() }) }),
]);
export type WatchedPrices = z.infer<typeof watchedPricesSchema>;

/** Payload of `price`. `at` is when the market had the price. */
export const livePriceSchema = z.object({
  symbol: z.string(),
  price: z.number().positive(),
  at: z.iso.datetime(),
});
export type LivePrice = z.infer<typeof livePriceSchema>;

/**
 * Payload of `price:stale`: whether the price that a socket has is still confirmed. A market whose price does not change
 * is not stale. `at` is when the market had it last.
 */
export const stalePriceSchema = z.object({
  symbol: z.string(),
  stale: z.boolean(),
  at: z.iso.datetime(),
});
export type StalePrice = z.infer<typeof stalePriceSchema>;

/** `fallback`: polled because the WebSocket of the exchange is lost. */
export const priceFeedSchema = z.enum(["websocket", "polling", "fallback"]);
export type PriceFeed = z.infer<typeof priceFeedSchema>;

const INTERVAL_MS = 1_000;
const EARLY_MS = 50;

/** When the price after one that is sent at `nowMs` is due. On average, there is one a second. */
export const nextPriceDueMs = (nowMs: number, dueMs: number): number =>
  Math.max(nowMs, dueMs) + INTERVAL_MS;

/**
 * How long a price is held back so that there is at most one a second. One that comes early waits for the next, which
 * replaces it: if it was sent as soon as it is due, all later prices of an exchange that sends one a second would wait
 * as long.
 * @param dueMs when the price is due, by the clock of `nowMs`
 */
export function priceHoldMs(nowMs: number, dueMs: number): number {
  const earlyMs = dueMs - nowMs;
  return earlyMs > EARLY_MS ? earlyMs + INTERVAL_MS : 0;
}
