import type { Candle } from "@shared/contract/candle.ts";
import { SMA } from "trading-signals";

/** Traded volume as its provider counts it (mostly units of the base). */
export interface Volume {
  last: number;
  /** Mean of the last 20 candles, the last one included. */
  average20: number;
  /** `last / average20`. */
  ratio: number;
}

/** Null with fewer than 20 candles, and where the market reports no volume, as forex feeds do. */
export function computeVolume(candles: readonly Candle[]): Volume | null {
  const last = candles.at(-1);
  const average = new SMA(20);
  average.updates(candles.map((candle) => candle.volume));
  const average20 = average.getResult();
  if (!last || average20 === null || average20 === 0) return null;
  return { last: last.volume, average20, ratio: last.volume / average20 };
}
