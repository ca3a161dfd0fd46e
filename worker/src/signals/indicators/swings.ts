import type { Candle } from "@shared/contract/candle.ts";
import { SwingHigh, SwingLow } from "trading-signals";

/**
 * Candles on either side that a pivot must exceed. Three sits between Bill Williams' two, which marks every
 * wiggle, and the chartists' five, which confirms too late for the short timeframes.
 */
const PIVOT_REACH = 3;

/** Pivots kept of each kind. */
const PIVOTS_KEPT = 5;

/** Prices of the most recent fractal pivots, oldest first. */
export interface Swings {
  highs: number[];
  lows: number[];
}

/** Finds pivots that strictly exceed their neighbours; each is known only once the candles after it closed. */
export function findSwings(candles: readonly Candle[]): Swings {
  const swingHigh = new SwingHigh({ lookback: PIVOT_REACH });
  const swingLow = new SwingLow({ lookback: PIVOT_REACH });
  const isPivot = (price: number | null) => price !== null;
  return {
    highs: swingHigh.updates(candles).filter(isPivot).slice(-PIVOTS_KEPT),
    lows: swingLow.updates(candles).filter(isPivot).slice(-PIVOTS_KEPT),
  };
}
