import { findInstrument } from "@shared/contract/instruments.ts";
import { priceDecimals } from "@shared/domain/format-price.ts";

/** How the prices of one market are written: its smallest step, and the decimals that show it. */
export interface PriceScale {
  tick: number;
  decimals: number;
}

/** The instrument's own scale; for any other market six significant digits of `price`, its last close. */
export function priceScale(options: { symbol: string; price: number }): PriceScale {
  const instrument = findInstrument(options.symbol);
  if (instrument) return { tick: instrument.tick, decimals: instrument.decimals };
  const decimals = priceDecimals(options.price);
  return { tick: Number(`1e-${decimals}`), decimals };
}

/** The nearest price that the market knows; what is no finite number stays as it is. */
export function roundToTick(value: number, { tick, decimals }: PriceScale): number {
  return Number((Math.round(value / tick) * tick).toFixed(decimals));
}

/** A price as the market writes it, with all its decimals: `113456.70`, `1.16980`. */
export function formatAtTick(value: number, scale: PriceScale): string {
  return roundToTick(value, scale).toFixed(scale.decimals);
}
