import { type Candle, TIMEFRAME_MS, type Timeframe } from "@shared/contract/candle.ts";
import type { CandleSeries, MarketData } from "../providers/market-data.ts";
import { ProviderError } from "../providers/provider-error.ts";

/** The whole recording of a market, oldest candle first; undefined where there is none. */
export type FindSeries = (symbol: string, timeframe: Timeframe) => CandleSeries | undefined;

/** Recorded candles behind the port of live ones. What is asked for ends with the recording, or with `until`. */
export function recordedMarket(find: FindSeries): MarketData {
  return {
    async candles({ symbol, timeframe, limit, until = Number.POSITIVE_INFINITY }) {
      const series = find(symbol, timeframe);
      if (!series) throw missing("unknown-symbol", `no candles of ${symbol} at ${timeframe}`);
      const end = countClosed(series.candles, { timeframe, until });
      if (end === 0) throw missing("nonsense", `no candles of ${symbol} that early`);
      return { ...series, candles: series.candles.slice(Math.max(0, end - limit), end) };
    },
  };
}

/** A market as it was at a moment (Unix ms): whatever closed later is not there yet. */
export function marketAsOf(market: MarketData, at: () => number): MarketData {
  return {
    candles: ({ until = Number.POSITIVE_INFINITY, ...request }) =>
      market.candles({ ...request, until: Math.min(until, at()) }),
  };
}

/** How many of the candles, oldest first, were closed by `until`; by bisection, as it is asked for at every bar. */
function countClosed(
  candles: readonly Candle[],
  { timeframe, until }: { timeframe: Timeframe; until: number },
): number {
  const latestOpen = until - TIMEFRAME_MS[timeframe];
  let [low, high] = [0, candles.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((candles[middle]?.time ?? Number.POSITIVE_INFINITY) <= latestOpen) low = middle + 1;
    else high = middle;
  }
  return low;
}

const missing = (failure: "unknown-symbol" | "nonsense", message: string) =>
  new ProviderError({ provider: "recording", failure, message });
