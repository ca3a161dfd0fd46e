import { findInstrument, instrumentClass } from "@shared/contract/instruments.ts";
import { DEFAULT_TRADING_COSTS } from "@shared/contract/trading-costs.ts";

/**
 * Typical distance between bid and ask at `price`, in the quote currency: that of the instrument's class, at least one
 * tick. The settings do not change it, so that an outcome can be recomputed from its record.
 */
export function typicalSpread(symbol: string, price: number): number {
  const { spread_percent: percent } = DEFAULT_TRADING_COSTS[instrumentClass(symbol)];
  return Math.max((price * percent) / 100, findInstrument(symbol)?.tick ?? 0);
}
