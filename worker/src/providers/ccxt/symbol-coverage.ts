import { findInstrument } from "@shared/contract/instruments.ts";

/**
 * Whether this exchange's market of that name is what the product means by the symbol. What a crypto
 * exchange lists under the name of another market is something else: `SPX` is a memecoin, and a
 * tokenized or leveraged look-alike is not the metal or the index.
 */
export function exchangeCovers(exchangeId: string, symbol: string): boolean {
  const instrument = findInstrument(symbol);
  if (!instrument) return symbol.includes("/");
  return instrument.exchanges?.includes(exchangeId) ?? true;
}
