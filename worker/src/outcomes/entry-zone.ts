import type { Candle } from "@shared/contract/candle.ts";

/**
 * In multiples of the risk. Half a risk further, a 2:1 trade pays 1:1, the minimum; half a risk back, half of it is
 * already lost.
 */
const REACH = 0.5;

export interface TradePlan {
  entry: number;
  stopLoss: number;
  takeProfit: number;
  signalPrice: number;
}

export interface PriceRange {
  low: number;
  high: number;
}

/** Prices at which the entry is still worth taking. Includes the way from the signal price to an entry away from it. */
export function entryZone({ entry, stopLoss, signalPrice }: TradePlan): PriceRange {
  const reach = REACH * Math.abs(entry - stopLoss);
  return {
    low: Math.min(entry, signalPrice) - reach,
    high: Math.max(entry, signalPrice) + reach,
  };
}

/** The first candle that closes outside the zone or touches stop or target; null while the entry is valid. */
export function findEntryLeft(
  plan: TradePlan,
  candles: readonly Candle[],
): { candle: Candle; price: number } | null {
  const zone = entryZone(plan);
  for (const candle of candles) {
    const price = leavingPrice(plan, zone, candle);
    if (price !== null) return { candle, price };
  }
  return null;
}

function leavingPrice(plan: TradePlan, zone: PriceRange, candle: Candle): number | null {
  const { low, high, close } = candle;
  if (close < zone.low || close > zone.high) return close;
  // The stop first: if both were touched within one candle, the worse counts.
  const levels = [plan.stopLoss, plan.takeProfit];
  return levels.find((level) => low <= level && level <= high) ?? null;
}
