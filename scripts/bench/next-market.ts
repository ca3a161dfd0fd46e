import { SIGNAL_LIMITS, SYMBOL_SUGGESTIONS } from "@shared/contract/constants.ts";

/** The longer timeframes of a day: few of their candles close while a benchmark runs. */
const TIMEFRAMES = ["1h", "4h"] as const;
const LIMITS = SIGNAL_LIMITS.limit.max - SIGNAL_LIMITS.limit.min + 1;

let used = 0;

/** What to ask for next: requests for the same market would share one analysis. */
export function nextMarket(): { symbol: string; timeframe: string; limit: number } {
  used += 1;
  const symbol = SYMBOL_SUGGESTIONS[used % SYMBOL_SUGGESTIONS.length] ?? SYMBOL_SUGGESTIONS[0];
  const limit = SIGNAL_LIMITS.limit.min + (used % LIMITS);
  const timeframe = TIMEFRAMES[Math.floor(used / LIMITS) % TIMEFRAMES.length] ?? TIMEFRAMES[0];
  return { symbol, timeframe, limit };
}
