import { z } from "zod";
import { TIMEFRAMES } from "./constants.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "./durations.ts";

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
