import { readFileSync } from "node:fs";
import { type Candle, TIMEFRAME_MS, type Timeframe } from "@shared/contract/candle.ts";
import { parseCandleCsv } from "@shared/outcomes/candle-files.ts";

/** Monday, 2024-01-01T00:00:00Z. */
export const MONDAY = Date.UTC(2024, 0, 1);

/** Candles that open at the close before them and reach `reach` beyond their body, one after the other. */
export function candlesFromCloses(
  closes: readonly number[],
  options: { timeframe?: Timeframe; startAt?: number; reach?: number; volume?: number } = {},
): Candle[] {
  const { timeframe = "1h", startAt = MONDAY, reach = 0.5, volume = 10 } = options;
  return closes.map((close, index) => {
    const open = closes[index - 1] ?? close;
    return {
      time: startAt + index * TIMEFRAME_MS[timeframe],
      open,
      high: Math.max(open, close) + reach,
      low: Math.min(open, close) - reach,
      close,
      volume,
    };
  });
}

/** `count` numbers from `valueAt`. */
export function series(count: number, valueAt: (index: number) => number): number[] {
  return Array.from({ length: count }, (_, index) => valueAt(index));
}

/** Recorded candles of `<BASE>-<QUOTE>.<timeframe>`, oldest first. */
export function recordedCandles(name: string): Candle[] {
  const file = new URL(`../market-data/replay/data/${name}.csv`, import.meta.url);
  return parseCandleCsv(readFileSync(file, "utf8"));
}
