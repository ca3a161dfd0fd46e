import { ATR } from "trading-signals";
import type { Course } from "./course.ts";

/** Wilder's ATR(14) at the close of a bar; null where nothing moved or there are too few candles. */
export type AtrAt = (bar: number) => number | null;

/** ATR(14) of all bars in one pass; each value follows from the candles up to its bar. */
export function atrOfBars({ series }: Course): AtrAt {
  const atr = new ATR(14);
  const values = series.candles.map((candle) => atr.add(candle));
  return (bar) => values[bar] || null;
}
