import type { Candle } from "@shared/contract/market-data.ts";

/** Whether anything was traded in a candle. Some providers give no volume. */
export const isTraded = ({ volume, high, low }: Candle): boolean => volume > 0 || high > low;

/**
 * Candles of a market that never closes, oldest first, with flat ones at the last close where nothing was traded, as some
 * providers leave these out.
 */
export function withFlatCandles(candles: readonly Candle[], lengthMs: number): Candle[] {
  const filled: Candle[] = [];
  for (const candle of candles) {
    let last = filled.at(-1);
    while (last && last.time + lengthMs < candle.time) {
      last = flatAt(last.time + lengthMs, last.close);
      filled.push(last);
    }
    filled.push(candle);
  }
  return filled;
}

/** A candle without trades. */
export const flatAt = (time: number, close: number): Candle => ({
  time,
  open: close,
  high: close,
  low: close,
  close,
  volume: 0,
});
