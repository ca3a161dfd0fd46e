import type { Candle } from "@shared/contract/candle.ts";

/** A market without beginning or end: the candle at a given time is always the same. */
export interface CandleSource {
  /** Whether what it gives was recorded in a real market, or made up. */
  origin: "recorded" | "simulated";
  /**
   * `count` candles from the opening time `from` on, which lies on the grid of the source's
   * timeframe.
   */
  range(from: number, count: number): Candle[];
}
