import { HOUR_MS, MINUTE_MS } from "@shared/contract/constants.ts";
import { TIMEFRAME_MS, type Timeframe } from "@shared/contract/market-data.ts";
import { isOpen, lastClose, nextOpen } from "@shared/domain/trading-hours.ts";
import { LRUCache } from "lru-cache";
import { raceAbort } from "../deadline.ts";
import {
  type CandleRequest,
  type CandleSeries,
  isThrough,
  type MarketData,
} from "./market-data.ts";
import { abortedByCaller } from "./provider-deadline.ts";

const MAX_SERIES = 300;
const LATE_TTL_MS = 5_000;
const DELAYED_TTL_MS = 30_000;
/** Of a series that is shorter than requested: the market may be young, or the answer incomplete. */
const SHORT_TTL_MS = MINUTE_MS;
/** The last candles of a session may arrive this long after its end. */
const SESSION_GRACE_MS = HOUR_MS;

interface CachedSeries {
  series: CandleSeries;
  /** As requested; a young market has fewer candles. */
  limit: number;
  freshUntil: number;
}

interface Fetch {
  limit: number;
  waiting: number;
  abort: AbortController;
  result: Promise<CandleSeries>;
}

/**
 * Fetches each series once for simultaneous requests, and keeps it until its next candle closes. A fetch is aborted
 * when no caller waits.
 */
export class CandleCache implements MarketData {
  private readonly source: MarketData;
  private readonly now: () => number;
  private readonly kept = new LRUCache<string, CachedSeries>({ max: MAX_SERIES });
  private readonly running = new Map<string, Fetch>();

  constructor(options: { source: MarketData; now: () => number }) {
    this.source = options.source;
    this.now = options.now;
  }

  async candles(request: CandleRequest): Promise<CandleSeries> {
    if (request.until !== undefined || request.withOpen) return this.source.candles(request);
    const key = keyOf(request);
    const kept = this.kept.get(key);
    const isFresh = kept && this.now() < kept.freshUntil && isThrough(kept.series, request);
    if (isFresh && kept.limit >= request.limit) return newest(kept.series, request.limit);
    const runningKey = `${key} ${request.through ?? ""}`;
    const running = this.running.get(runningKey);
    const fetch =
      running && running.limit >= request.limit ? running : this.startFetch(runningKey, request);
    return newest(await this.waitFor(runningKey, fetch, request.abort), request.limit);
  }

  private startFetch(key: string, request: CandleRequest): Fetch {
    const abort = new AbortController();
    const result = this.fetchAndCache({ ...request, abort: abort.signal }).finally(() =>
      this.forget(key, fetch),
    );
    const fetch: Fetch = { limit: request.limit, waiting: 0, abort, result };
    this.running.set(key, fetch);
    return fetch;
  }

  private async fetchAndCache(request: CandleRequest): Promise<CandleSeries> {
    const series = await this.source.candles(request);
    const { limit } = request;
    const cached = { series, limit, freshUntil: freshUntil(series, request, this.now()) };
    this.kept.set(keyOf(request), cached);
    return series;
  }

  private async waitFor(key: string, fetch: Fetch, abort: AbortSignal): Promise<CandleSeries> {
    fetch.waiting += 1;
    try {
      return await raceAbort(fetch.result, abort);
    } catch (error) {
      if (!abort.aborted) throw error;
      throw abortedByCaller("market data", error);
    } finally {
      fetch.waiting -= 1;
      if (fetch.waiting === 0) {
        this.forget(key, fetch);
        fetch.abort.abort();
      }
    }
  }

  private forget(key: string, fetch: Fetch): void {
    if (this.running.get(key) === fetch) this.running.delete(key);
  }
}

const keyOf = ({ symbol, timeframe, prefer = "", only = "" }: CandleRequest): string =>
  `${symbol} ${timeframe} ${prefer} ${only}`;

/** When a newer or a longer series may exist, Unix milliseconds. */
function freshUntil(
  series: CandleSeries,
  { timeframe, limit }: Pick<CandleRequest, "timeframe" | "limit">,
  now: number,
): number {
  const until = newerAt(series, timeframe, now);
  return series.candles.length < limit ? Math.min(until, now + SHORT_TTL_MS) : until;
}

function newerAt({ candles, market }: CandleSeries, timeframe: Timeframe, now: number): number {
  const last = candles.at(-1);
  if (!last) return now;
  const { hours, delayMs } = market ?? { hours: "always", delayMs: 0 };
  const lengthMs = TIMEFRAME_MS[timeframe];
  const endsAt = last.time + lengthMs;
  if (!isOpen(hours, now)) {
    const closedAt = lastClose(hours, now) ?? now;
    const isOver = now >= closedAt + delayMs + Math.max(lengthMs, SESSION_GRACE_MS);
    if (endsAt >= closedAt || isOver) return nextOpen(hours, now);
  }
  if (endsAt + lengthMs > now) return endsAt + lengthMs;
  return now + (delayMs > 0 ? DELAYED_TTL_MS : LATE_TTL_MS);
}

/** Returns the same object for equal requests, so that values computed from it are shared too. */
function newest(series: CandleSeries, limit: number): CandleSeries {
  if (series.candles.length <= limit) return series;
  return { ...series, candles: series.candles.slice(-limit) };
}
