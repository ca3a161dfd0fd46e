import { TIMEFRAME_MS, type Timeframe } from "@shared/contract/candle.ts";
import { resample } from "../candles/resample.ts";
import type { CandleSource } from "./candle-source.ts";

/** A longer timeframe of the same market, built from a shorter one. */
export function resampledSource(
  source: CandleSource,
  timeframes: { from: Timeframe; to: Timeframe },
): CandleSource {
  const partsPerCandle = TIMEFRAME_MS[timeframes.to] / TIMEFRAME_MS[timeframes.from];
  return {
    origin: source.origin,
    range: (from, count) => resample(source.range(from, count * partsPerCandle), timeframes),
  };
}
