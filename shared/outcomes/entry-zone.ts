interface PriceRange {
  low: number;
  high: number;
}

/**
 * In multiples of the risk. Half a risk further, a 2:1 trade pays 1:1, the minimum; half a risk back, half of it is
 * already lost.
 */
const REACH = 0.5;

/** Prices at which the entry is still worth taking. Includes the way from the signal price to an entry away from it. */
export function entryZone(plan: {
  entry: number;
  stopLoss: number;
  /** The analysed price. */
  signalPrice: number;
}): PriceRange {
  const { entry, stopLoss, signalPrice } = plan;
  const reach = REACH * Math.abs(entry - stopLoss);
  return {
    low: Math.min(entry, signalPrice) - reach,
    high: Math.max(entry, signalPrice) + reach,
  };
}
