import type { Candle } from "@shared/contract/candle.ts";

/**
 * How far the price may go beyond the way between entry and signal price, in multiples of the risk (entry to stop).
 * Half a risk further on, a trade that paid 2 : 1 pays 1 : 1, the least that a signal may offer: who enters later chases
 * the price. Half a risk the other way, half of what the trade may lose has gone against it already.
 */
const REACH = 0.5;

/** The prices of a trade, and the market's price when it was advised; all in the quote currency. */
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

/**
 * Prices at which the trade can still be entered much as it was advised. An entry away from the market waits for the
 * price to come: then all the way to it belongs to the zone.
 */
export function entryZone({ entry, stopLoss, signalPrice }: TradePlan): PriceRange {
  const reach = REACH * Math.abs(entry - stopLoss);
  return {
    low: Math.min(entry, signalPrice) - reach,
    high: Math.max(entry, signalPrice) + reach,
  };
}

/**
 * The first of the candles (oldest first, all after the signal's own) that shows that the entry is gone: its close is
 * out of the zone, or the stop or the target was touched within it.
 * @returns the candle and the price that tells it; null while the entry can be had
 */
export function findEntryLeft(
  plan: TradePlan,
  candles: readonly Candle[],
): { candle: Candle; price: number } | null {
  const zone = entryZone(plan);
  for (const candle of candles) {
    const price = leavingPrice({ plan, zone, candle });
    if (price !== null) return { candle, price };
  }
  return null;
}

function leavingPrice(options: {
  plan: TradePlan;
  zone: PriceRange;
  candle: Candle;
}): number | null {
  const { plan, zone, candle } = options;
  if (candle.close < zone.low || candle.close > zone.high) return candle.close;
  // The stop first: where both were touched within one candle, nobody knows which came first, and it is the worse.
  const touched = [plan.stopLoss, plan.takeProfit].find(
    (level) => candle.low <= level && level <= candle.high,
  );
  return touched ?? null;
}
