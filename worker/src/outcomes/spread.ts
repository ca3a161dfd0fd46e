import {
  findInstrument,
  type InstrumentClass,
  instrumentClass,
} from "@shared/contract/instruments.ts";

/**
 * What lies between bid and ask of a liquid market in quiet hours, in percent of the price: rounded up from what retail
 * brokers and large exchanges show.
 */
const SPREAD_PERCENT: Record<InstrumentClass, number> = {
  crypto: 0.02,
  forex: 0.015,
  metal: 0.02,
  index: 0.015,
  oil: 0.05,
};

/** Typical distance of bid and ask at `price`, in the quote currency: by the kind of market, at least one tick. */
export function typicalSpread(symbol: string, price: number): number {
  const byClass = (price * SPREAD_PERCENT[instrumentClass(symbol)]) / 100;
  return Math.max(byClass, findInstrument(symbol)?.tick ?? 0);
}
