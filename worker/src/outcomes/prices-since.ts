import { MINUTE_MS } from "@shared/contract/constants.ts";
import {
  type Candle,
  type MarketDataSource,
  TIMEFRAME_MS,
  type Timeframe,
} from "@shared/contract/market-data.ts";
import type { CandleSeries, MarketData } from "../market-data/market-data.ts";
import { isStale, ProviderError } from "../market-data/market-data.ts";

/** A candle, and when it closed; the open one closes now. Unix milliseconds. */
export interface PricesUntil {
  candle: Candle;
  until: number;
}

export interface PricesRequest {
  symbol: string;
  provider: string;
  data: MarketDataSource;
  /** Unix milliseconds, a multiple of five minutes unless it is recent. */
  since: number;
  now: number;
  abort: AbortSignal;
}

const MINUTE = "1m";
/** Of the part that is too long for minutes. */
const EARLIER = "5m";
/** What providers give at once. Longer periods begin with longer candles. */
const MAX_MINUTES = 900;
/** Candles before the period: they show that the series covers it, also if there were no trades in its first minutes. */
const MARGIN = 12;

/**
 * The prices of a market since a time, oldest first, of one provider alone: in minutes, at least the last ones.
 * @throws ProviderError also if the candles do not reach from `since` to now
 */
export async function readPricesSince(
  marketData: MarketData,
  request: PricesRequest,
): Promise<PricesUntil[]> {
  const { since, now } = request;
  const minutes = Math.max(1, Math.ceil((now - since) / MINUTE_MS));
  const isLong = minutes > MAX_MINUTES;
  const readEarlier = () => {
    const limit = Math.ceil((now - since) / TIMEFRAME_MS[EARLIER]) + MARGIN;
    return read(marketData, request, { timeframe: EARLIER, limit });
  };
  const [recent, longer] = await Promise.all([
    read(marketData, request, {
      timeframe: MINUTE,
      limit: Math.min(minutes, MAX_MINUTES) + MARGIN,
    }),
    isLong ? readEarlier() : undefined,
  ]);
  if (isStale(recent, { timeframe: EARLIER, now })) throw unusable(request, "has no new prices");
  const earlier = longer ?? (covers(recent, since) ? undefined : await readEarlier());
  if (earlier && !covers(earlier, since)) throw unusable(request, "does not reach back enough");
  return inOrder({ earlier, recent }, request);
}

async function read(
  marketData: MarketData,
  { symbol, provider, data, abort }: PricesRequest,
  part: { timeframe: Timeframe; limit: number },
): Promise<CandleSeries> {
  const request = { symbol, ...part, only: provider, withOpen: true, abort };
  const series = await marketData.candles(request);
  if (series.provider === provider && series.data === data) return series;
  const message = `the prices of ${symbol} came from ${series.provider}`;
  throw new ProviderError({ provider, failure: "unreachable", message });
}

const covers = ({ candles }: CandleSeries, since: number): boolean =>
  (candles[0]?.time ?? Number.POSITIVE_INFINITY) <= since;

function unusable({ provider, symbol }: PricesRequest, what: string): ProviderError {
  const message = `the series of ${symbol} ${what}`;
  return new ProviderError({ provider, failure: "nonsense", message });
}

function inOrder(
  { earlier, recent }: { earlier: CandleSeries | undefined; recent: CandleSeries },
  { since, now }: PricesRequest,
): PricesUntil[] {
  const from = Math.max(since, recent.candles[0]?.time ?? 0);
  const before = earlier?.candles.filter(({ time }) => time >= since && time < from) ?? [];
  const minutes = recent.candles.filter(({ time }) => time >= since);
  const closed = [
    ...before.map((candle) => ({ candle, until: candle.time + TIMEFRAME_MS[EARLIER] })),
    ...minutes.map((candle) => ({ candle, until: candle.time + TIMEFRAME_MS[MINUTE] })),
  ];
  const { open } = recent;
  return open && open.time >= since ? [...closed, { candle: open, until: now }] : closed;
}
