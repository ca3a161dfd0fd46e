import { TIMEFRAME_MS, type Timeframe } from "./candle.ts";

/**
 * Candles after the last closed one within which an entry still counts: about half an hour of a scalp, half a day of a
 * swing trade.
 */
const VALID_CANDLES: Record<Timeframe, number> = {
  "1m": 15,
  "5m": 6,
  "15m": 4,
  "30m": 4,
  "1h": 4,
  "4h": 3,
  "1d": 2,
};

/** Until when a signal's entry may be taken, in Unix milliseconds; `lastCandleAt` is the close of its last candle. */
export function validUntil(options: { timeframe: Timeframe; lastCandleAt: number }): number {
  const { timeframe, lastCandleAt } = options;
  return lastCandleAt + VALID_CANDLES[timeframe] * TIMEFRAME_MS[timeframe];
}
