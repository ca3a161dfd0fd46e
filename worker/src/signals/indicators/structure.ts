import type { Swings } from "./swings.ts";

/** Swing prices above and below `price`, nearest first; former highs serve as support and the reverse. */
export function structureAround(options: { price: number; swings: Swings }): {
  resistances: number[];
  supports: number[];
} {
  const { price, swings } = options;
  const prices = [...new Set([...swings.highs, ...swings.lows])];
  return {
    resistances: prices.filter((level) => level > price).sort((a, b) => a - b),
    supports: prices.filter((level) => level < price).sort((a, b) => b - a),
  };
}
