import { TIMEFRAME_MS, type Timeframe } from "@shared/contract/candle.ts";
import { TIMEFRAMES } from "@shared/contract/constants.ts";

/**
 * The timeframe to fetch from a provider that has only some: the one asked for, or else the longest
 * shorter one that it can be built from. Undefined where there is none.
 */
export function sourceTimeframe(
  asked: Timeframe,
  available: readonly string[],
): Timeframe | undefined {
  return TIMEFRAMES.findLast(
    (candidate) =>
      available.includes(candidate) && TIMEFRAME_MS[asked] % TIMEFRAME_MS[candidate] === 0,
  );
}
