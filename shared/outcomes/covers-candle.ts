import type { Candle } from "@shared/contract/candle.ts";
import { typicalSpread } from "./spread.ts";

/**
 * Whether finer candles, oldest first, are the course of `candle`: they begin, end and reach as far as it does, give or
 * take the usual spread. Others, as from another venue or with some missing, say nothing about it.
 */
export function coversCandle(
  parts: readonly Candle[],
  { candle, symbol }: { candle: Candle; symbol: string },
): boolean {
  const [first] = parts;
  const last = parts.at(-1);
  if (!first || !last) return false;
  const tolerance = typicalSpread(symbol, candle.close);
  const isClose = (one: number, other: number) => Math.abs(one - other) <= tolerance;
  return (
    isClose(first.open, candle.open) &&
    isClose(last.close, candle.close) &&
    isClose(Math.max(...parts.map(({ high }) => high)), candle.high) &&
    isClose(Math.min(...parts.map(({ low }) => low)), candle.low)
  );
}
