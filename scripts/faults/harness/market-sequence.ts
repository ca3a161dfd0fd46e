import { SYMBOL_SUGGESTIONS } from "@shared/contract/constants.ts";

/** Crypto trades around the clock: in a closed market, a request would be answered without the AI. */
const SYMBOLS = SYMBOL_SUGGESTIONS.filter((symbol) => symbol.endsWith("/USDT"));

/** Has no common factor with the number of markets, so that all pairs occur. */
const LIMITS = 241;

/** Makes fields of signal requests, different each time, so that no two share an analysis. */
export function createMarketSequence(timeframes: readonly string[]) {
  const markets = timeframes.flatMap((timeframe) =>
    SYMBOLS.map((symbol) => [symbol, timeframe] as const),
  );
  let used = 0;
  return () => {
    const [symbol = "", timeframe = ""] = markets[used % markets.length] ?? [];
    used += 1;
    return { symbol, timeframe, limit: String(10 + (used % LIMITS)) };
  };
}
