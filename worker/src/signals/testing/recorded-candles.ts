import { readFileSync } from "node:fs";
import type { Candle } from "@shared/contract/candle.ts";
import { parseCandleCsv } from "@shared/outcomes/candle-files.ts";

/** Recorded candles of `<BASE>-<QUOTE>.<timeframe>`, oldest first. */
export function recordedCandles(name: string): Candle[] {
  const file = new URL(`../../providers/replay/data/${name}.csv`, import.meta.url);
  return parseCandleCsv(readFileSync(file, "utf8"));
}
