import { PRICE_DECIMALS } from "./constants.ts";

/** Prices below have fewer than four significant digits in `PRICE_DECIMALS`. */
const TINY_PRICE = 0.01;
const TINY_PRICE_DIGITS = 5;
/** Of the smallest price that `toFixed` and `Intl.NumberFormat` can show. */
const MAX_DECIMALS = 100;

/** Decimals with which a price is shown: five, or as many as show five significant digits of a tiny price. */
export function priceDecimals(price: number): number {
  const size = Math.abs(price);
  if (!(size > 0 && size < TINY_PRICE)) return PRICE_DECIMALS;
  const decimals = TINY_PRICE_DIGITS - 1 - Math.floor(Math.log10(size));
  return Math.min(decimals, MAX_DECIMALS);
}

/** A price wherever it stands as a value: `107357.10000`. Without grouping, as it is typed into an order. */
export const formatPrice = (price: number): string => price.toFixed(priceDecimals(price));

/** A price within a sentence: the same digits without trailing zeros, such as `107357.1` or `0.0000091`. */
export function plainPrice(price: number): string {
  const text = formatPrice(price);
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}
