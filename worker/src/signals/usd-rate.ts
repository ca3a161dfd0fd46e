import type { Timeframe } from "@shared/contract/candle.ts";
import { untilAborted } from "../providers/abortable.ts";
import type { CandleSeries, MarketData } from "../providers/market-data.ts";
import { ProviderError } from "../providers/provider-error.ts";

/**
 * USD per unit of `currency` at the last close of a market between the two; undefined where no market of the same
 * kind of data gives it: a live trade is not sized by a recorded rate.
 * @throws the reason of `abort` once that fires
 */
export async function fetchUsdRate(options: {
  currency: string;
  timeframe: Timeframe;
  data: CandleSeries["data"];
  marketData: MarketData;
  abort: AbortSignal;
}): Promise<number | undefined> {
  const { currency, data } = options;
  const markets = [
    { symbol: `${currency}/USD`, toRate: (close: number) => close },
    { symbol: `USD/${currency}`, toRate: (close: number) => 1 / close },
    { symbol: `${currency}/USDT`, toRate: (close: number) => close },
  ];
  for (const { symbol, toRate } of markets) {
    const series = await fetchLast({ ...options, symbol });
    const close = series?.data === data ? series.candles.at(-1)?.close : undefined;
    if (close !== undefined) return toRate(close);
  }
  return undefined;
}

async function fetchLast(options: {
  symbol: string;
  timeframe: Timeframe;
  marketData: MarketData;
  abort: AbortSignal;
}): Promise<CandleSeries | null> {
  const { symbol, timeframe, marketData, abort } = options;
  try {
    return await untilAborted(marketData.candles({ symbol, timeframe, limit: 1, abort }), abort);
  } catch (error) {
    abort.throwIfAborted();
    // A market that does not exist or does not answer is no reason to give up the signal: the next one may do.
    if (error instanceof ProviderError) return null;
    throw error;
  }
}
