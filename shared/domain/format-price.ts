/** Significant digits of a price: five decimals for a currency pair. */
const PRICE_DIGITS = 6;

/** Significant digits of a range or a difference. */
const DISTANCE_DIGITS = 3;

/** Enough for every listed price; `toFixed` accepts at most 100. */
const MAX_DECIMALS = 15;

function decimalsOf(value: number, digits: number): number {
  if (value === 0) return 2;
  const magnitude = Math.floor(Math.log10(Math.abs(value)));
  return Math.min(Math.max(digits - 1 - magnitude, 2), MAX_DECIMALS);
}

/** Decimals of the smallest step of a price, where its market states none: six significant digits, at least two decimals. */
export function tickDecimals(price: number): number {
  return decimalsOf(price, PRICE_DIGITS);
}

/**
 * A price with six significant digits and at least two decimals, but without trailing zeros: 113456.789 becomes
 * 113456.79, 0.0000123456789 becomes 0.0000123457.
 */
export function formatPrice(value: number): string {
  return formatDigits(value, PRICE_DIGITS);
}

/** A difference of prices, with three significant digits. */
export function formatDistance(value: number): string {
  return formatDigits(value, DISTANCE_DIGITS);
}

function formatDigits(value: number, digits: number): string {
  const text = value.toFixed(decimalsOf(value, digits));
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

/** A number with at most `decimals` decimals, without trailing zeros. */
export function formatNumber(value: number, decimals: number): string {
  return String(Number(value.toFixed(decimals)));
}

/** An amount of US dollars in cents; below ten cents with the digits of a price. */
export function formatUsd(value: number): string {
  return `${value >= 0.1 ? formatNumber(value, 2) : formatPrice(value)} USD`;
}
