import { findInstrument } from "@shared/contract/instruments.ts";

/** Base and quote of a symbol; what one unit is, and what its price is counted in. */
export interface SymbolCurrencies {
  base: string;
  quote: string;
}

/** Currencies counted as one US dollar: the dollar and the tokens that are pegged to it. */
const USD_LIKE: ReadonlySet<string> = new Set([
  "USD",
  "USDT",
  "USDC",
  "BUSD",
  "FDUSD",
  "TUSD",
  "PYUSD",
  "RLUSD",
  "DAI",
  "GUSD",
  "USDD",
  "USDE",
  "USDP",
  "USDS",
  "USD1",
]);

/** Those of the instrument; any other symbol is split as `BASE/QUOTE`, and priced in USD where it has no slash. */
export function symbolCurrencies(symbol: string): SymbolCurrencies {
  const instrument = findInstrument(symbol);
  if (instrument) return { base: instrument.base, quote: instrument.quote };
  const slash = symbol.lastIndexOf("/");
  if (slash === -1) return { base: symbol, quote: "USD" };
  return { base: symbol.slice(0, slash), quote: symbol.slice(slash + 1) };
}

/** Whether one unit of `currency` is counted as one US dollar. */
export function isUsdLike(currency: string): boolean {
  return USD_LIKE.has(currency);
}

/**
 * USD per unit of the quote currency as far as the symbol itself tells: 1 for a dollar quote, `1 / entry` where
 * the base is the dollar (USD/JPY). Null for any other pair, whose rate must come from elsewhere.
 */
export function usdPerQuote(options: { symbol: string; entry: number }): number | null {
  const { base, quote } = symbolCurrencies(options.symbol);
  if (isUsdLike(quote)) return 1;
  return isUsdLike(base) ? 1 / options.entry : null;
}
