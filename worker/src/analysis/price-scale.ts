import { findInstrument } from "@shared/contract/instruments.ts";
import { priceDecimals } from "@shared/domain/format-price.ts";

export interface PriceScale {
  tick: number;
  decimals: number;
}

/** The instrument's own scale, else six significant digits of `price`. */
export function priceScale(options: { symbol: string; price: number }): PriceScale {
  const instrument = findInstrument(options.symbol);
  if (instrument) return { tick: instrument.tick, decimals: instrument.decimals };
  const decimals = priceDecimals(options.price);
  return { tick: Number(`1e-${decimals}`), decimals };
}

export function roundToTick(value: number, { tick, decimals }: PriceScale): number {
  return Number((Math.round(value / tick) * tick).toFixed(decimals));
}

/** `113456.70`, `1.16980`. */
export function formatAtTick(value: number, scale: PriceScale): string {
  return roundToTick(value, scale).toFixed(scale.decimals);
}
