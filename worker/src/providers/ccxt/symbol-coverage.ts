/** Currency pairs that an exchange trades as real spot markets, by ccxt id. */
const FOREX: Record<string, readonly string[]> = {
  kraken: ["EUR/USD", "GBP/USD", "AUD/USD", "USD/JPY"],
};

/**
 * Symbols of other markets. What a crypto exchange lists under such a name is something else:
 * `SPX` is a memecoin, and a tokenized or leveraged look-alike is not the metal or the index.
 */
const NOT_CRYPTO = new Set([
  ...Object.values(FOREX).flat(),
  "XAU/USD",
  "XAG/USD",
  "US30",
  "NAS100",
  "SPX500",
  "WTI",
  "BRENT",
]);

/** Whether this exchange's market of that name is what the product means by the symbol. */
export function exchangeCovers(exchangeId: string, symbol: string): boolean {
  if (NOT_CRYPTO.has(symbol)) return FOREX[exchangeId]?.includes(symbol) ?? false;
  return symbol.includes("/");
}
