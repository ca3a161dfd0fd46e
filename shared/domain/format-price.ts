/** Digits that a price needs to be told apart from its neighbours (five decimals for a currency pair). */
const PRICE_DIGITS = 6;

/** Digits that tell the size of a range or a difference well enough. */
const DISTANCE_DIGITS = 3;

/** More decimals than this carry no meaning for any listed price, and `toFixed` takes no more than 100. */
const MAX_DECIMALS = 15;

function decimalsOf(value: number, digits: number): number {
  if (value === 0) return 2;
  const magnitude = Math.floor(Math.log10(Math.abs(value)));
  return Math.min(Math.max(digits - 1 - magnitude, 2), MAX_DECIMALS);
}

/** Decimals that show six significant digits of a price, and never fewer than two. */
export function priceDecimals(price: number): number {
  return decimalsOf(price, PRICE_DIGITS);
}

/**
 * A price as text for a reader: six significant digits, never fewer than two decimals of them, no exponent and no
 * trailing zeros. 113456.789 reads 113456.79, 1.169807 reads 1.16981, 0.0000123456789 reads 0.0000123457.
 */
export function formatPrice(value: number): string {
  return formatDigits(value, PRICE_DIGITS);
}

/** A difference between prices as text, like `formatPrice` but with three significant digits. */
export function formatDistance(value: number): string {
  return formatDigits(value, DISTANCE_DIGITS);
}

function formatDigits(value: number, digits: number): string {
  const text = value.toFixed(decimalsOf(value, digits));
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

/** A number as text with at most `decimals` decimals, without trailing zeros. */
export function formatNumber(value: number, decimals: number): string {
  return String(Number(value.toFixed(decimals)));
}

/** An amount of US dollars as text, in cents; below ten cents as exact as a price. */
export function formatUsd(value: number): string {
  return `${value >= 0.1 ? formatNumber(value, 2) : formatPrice(value)} USD`;
}
