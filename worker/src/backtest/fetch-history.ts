import type { Candle, Timeframe } from "@shared/contract/candle.ts";
import type { CandleRequest, CandleSeries, MarketData } from "../providers/market-data.ts";
import { ProviderError } from "../providers/provider-error.ts";

/** Candles of one request; more are fetched by going back in time. */
const PAGE_CANDLES = 500;

/** The least that a provider counts as a series. */
const FEWEST_CANDLES = 30;

/**
 * The last `count` closed candles of a market, fetched page by page from the one provider that had the newest. Fewer
 * come where its history begins later.
 * @throws ProviderError if it fails
 */
export async function fetchHistory(options: {
  market: MarketData;
  symbol: string;
  timeframe: Timeframe;
  count: number;
  abort: AbortSignal;
  onCandles?: (fetched: number) => void;
}): Promise<CandleSeries> {
  const { market, symbol, timeframe, count, abort, onCandles } = options;
  const pageOf = (left: number) => Math.min(PAGE_CANDLES, Math.max(left, FEWEST_CANDLES));
  const request = { symbol, timeframe, abort };
  const newest = await market.candles({ ...request, limit: pageOf(count) });
  let candles: Candle[] = newest.candles;
  onCandles?.(candles.length);
  while (candles.length < count) {
    const until = candles[0]?.time ?? 0;
    const page = { ...request, limit: pageOf(count - candles.length), until };
    const earlier = await fetchEarlier(market, { ...page, prefer: newest.provider });
    if (earlier.length === 0) break;
    candles = [...earlier, ...candles];
    onCandles?.(candles.length);
  }
  return { ...newest, candles: candles.slice(-count) };
}

/** One page of the same provider; none where its history has not begun yet. */
async function fetchEarlier(
  market: MarketData,
  page: CandleRequest & { until: number; prefer: string },
): Promise<Candle[]> {
  try {
    const { provider, candles } = await market.candles(page);
    return provider === page.prefer ? candles.filter(({ time }) => time < page.until) : [];
  } catch (error) {
    if (error instanceof ProviderError && error.failure === "nonsense") return [];
    throw error;
  }
}
