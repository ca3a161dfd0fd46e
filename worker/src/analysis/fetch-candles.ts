import { setTimeout as delay } from "node:timers/promises";
import { TIMEFRAME_MS, type Timeframe } from "@shared/contract/market-data.ts";
import { isOpen, nextOpen } from "@shared/domain/trading-hours.ts";
import { isTraded } from "@shared/outcomes/flat-candles.ts";
import { raceAbort } from "../deadline.ts";
import { openingTime } from "../market-data/candles.ts";
import {
  type CandleSeries,
  isThrough,
  type MarketData,
  ProviderError,
  UnusableMarketError,
} from "../market-data/market-data.ts";

/** EMA(200) needs 200 candles, and 100 more until the first close weighs below 6% in it. */
const FETCHED_CANDLES = 300;

/** ATR(14) needs 14 candles, and as many again to settle. */
const MIN_TRADED_CANDLES = 30;

/** Exchanges publish a candle some seconds after its close. */
const MAX_WAIT_MS = 15_000;
const WAIT_INTERVAL_MS = 1_000;

export interface MarketRequest {
  symbol: string;
  timeframe: Timeframe;
  limit: number;
  /** Close of the last candle to analyse; the newest one unless given. */
  candleClosedAt?: Date;
}

export interface FetchOptions {
  request: MarketRequest;
  marketData: MarketData;
  now: () => number;
  abort: AbortSignal;
  /** Waits before a late candle is asked for again. */
  pause?: ((timeMs: number, abort: AbortSignal) => Promise<unknown>) | undefined;
}

/** The newest candles, which may not reach the one to analyse yet. @throws ProviderError */
export async function fetchNewest(options: FetchOptions): Promise<CandleSeries> {
  options.abort.throwIfAborted();
  const series = await ask(options);
  if (series.candles.length === 0) throw quietMarket(options.request, series);
  return series;
}

/**
 * The series up to the candle to analyse, so that all requests for the same candle get the same analysis. A provider
 * that lacks it is asked again for a while, then the others.
 * @throws UnusableMarketError if no provider has the candle, or too few were traded
 */
export async function fetchAnalysed(
  options: FetchOptions,
  newest: CandleSeries,
): Promise<CandleSeries> {
  const { request } = options;
  const through = expectedClose(request, newest);
  const isThere = isThrough(newest, { ...request, through });
  const series = upTo(isThere ? newest : await fetchLate(options, newest, through), request);
  if (series.candles.filter(isTraded).length < MIN_TRADED_CANDLES) {
    throw quietMarket(request, series);
  }
  return series;
}

/** Close of the candle that the provider should have by now, considering its delay; 0 if the market was closed. */
function expectedClose(
  { timeframe, candleClosedAt }: MarketRequest,
  { market }: CandleSeries,
): number {
  if (!candleClosedAt) return 0;
  const { hours, delayMs } = market ?? { hours: "always", delayMs: 0 };
  const closesAt = openingTime(candleClosedAt.getTime() - delayMs, timeframe);
  const startsAt = closesAt - TIMEFRAME_MS[timeframe];
  const wasOpen = isOpen(hours, startsAt) || nextOpen(hours, startsAt) < closesAt;
  return wasOpen ? closesAt : 0;
}

async function fetchLate(
  options: FetchOptions,
  { provider }: CandleSeries,
  through: number,
): Promise<CandleSeries> {
  const { now, abort, pause = waitFor } = options;
  const orNone = (error: unknown) => {
    abort.throwIfAborted();
    if (error instanceof ProviderError) return;
    throw error;
  };
  const startedAt = now();
  const isWaiting = () => now() - startedAt < MAX_WAIT_MS;
  // The clock may stand still or jump, so the pauses count, too.
  for (let pausedMs = 0; pausedMs < MAX_WAIT_MS && isWaiting(); pausedMs += WAIT_INTERVAL_MS) {
    await raceAbort(pause(WAIT_INTERVAL_MS, abort), abort);
    const series = await ask(options, { only: provider, through }).catch(orNone);
    if (series) return series;
  }
  const other = await ask(options, { through }).catch(orNone);
  if (other) return other;
  throw lateMarket(options.request, provider, through);
}

const waitFor = (timeMs: number, signal: AbortSignal) => delay(timeMs, undefined, { signal });

async function ask(
  { request, marketData, abort }: FetchOptions,
  part: { only?: string; through?: number } = {},
): Promise<CandleSeries> {
  const { symbol, timeframe } = request;
  const limit = neededCandles(request);
  return raceAbort(marketData.candles({ symbol, timeframe, limit, abort, ...part }), abort);
}

const neededCandles = ({ limit }: MarketRequest): number => Math.max(limit, FETCHED_CANDLES);

function upTo(series: CandleSeries, { timeframe, candleClosedAt }: MarketRequest): CandleSeries {
  if (!candleClosedAt) return series;
  const latest = candleClosedAt.getTime() - TIMEFRAME_MS[timeframe];
  return { ...series, candles: series.candles.filter(({ time }) => time <= latest) };
}

function quietMarket(
  request: MarketRequest,
  { provider, candles }: CandleSeries,
): UnusableMarketError {
  const { symbol, timeframe } = request;
  const traded = candles.filter(isTraded).length;
  const reason =
    `Only ${traded} of the last ${neededCandles(request)} ${timeframe} candles of ${symbol} had trades; ` +
    `an analysis needs ${MIN_TRADED_CANDLES}.`;
  return new UnusableMarketError({ provider, reason });
}

function lateMarket(
  { symbol, timeframe }: MarketRequest,
  provider: string,
  through: number,
): UnusableMarketError {
  const candle = `the ${timeframe} candle of ${symbol} that closed at ${formatUtc(through)}`;
  const reason = `No provider has published ${candle} yet. Try again in a minute.`;
  return new UnusableMarketError({ provider, reason });
}

/** `2026-11-22 23:00 UTC`. */
export function formatUtc(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
