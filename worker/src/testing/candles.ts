import { readFileSync } from "node:fs";
import { type Candle, TIMEFRAME_MS, type Timeframe } from "@shared/contract/candle.ts";
import { parseCandleCsv } from "@shared/outcomes/candle-files.ts";

export const MONDAY = Date.UTC(2024, 0, 1);

/** Candles that open at the previous close. */
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

export function series(count: number, valueAt: (index: number) => number): number[] {
  return Array.from({ length: count }, (_, index) => valueAt(index));
}

export function recordedCandles(name: string): Candle[] {
  const file = new URL(`../market-data/replay/data/${name}.csv`, import.meta.url);
  return parseCandleCsv(readFileSync(file, "utf8"));
}
