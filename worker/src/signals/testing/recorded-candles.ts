import { readFileSync } from "node:fs";
import { type Candle, candleSchema } from "@shared/contract/candle.ts";

/** Recorded candles of `<BASE>-<QUOTE>.<timeframe>`, oldest first. */
export function recordedCandles(name: string): Candle[] {
  const file = new URL(`../../providers/replay/data/${name}.csv`, import.meta.url);
  const [, ...rows] = readFileSync(file, "utf8").trim().split("\n");
  return rows.map((row) => {
    const [time, open, high, low, close, volume] = row.split(",").map(Number);
    return candleSchema.parse({ time, open, high, low, close, volume });
  });
}
