import { TIMEFRAME_MS, type Timeframe } from "@shared/contract/market-data.ts";
import { isOpen, nextOpen } from "@shared/domain/trading-hours.ts";
import { LRUCache } from "lru-cache";
import { abortedByCaller, raceAbort } from "./deadline.ts";
import type { CandleRequest, CandleSeries, MarketData } from "./market-data.ts";

const MAX_SERIES = 300;
const LATE_TTL_MS = 5_000;
const DELAYED_TTL_MS = 30_000;

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
    const key = `${request.symbol} ${request.timeframe} ${request.prefer ?? ""} ${request.only ?? ""}`;
    const kept = this.kept.get(key);
    if (kept && kept.limit >= request.limit && this.now() < kept.freshUntil) {
      return newest(kept.series, request.limit);
    }
    const running = this.running.get(key);
    const fetch =
      running && running.limit >= request.limit ? running : this.startFetch(key, request);
    return newest(await this.waitFor(key, fetch, request.abort), request.limit);
  }

  private startFetch(key: string, request: CandleRequest): Fetch {
    const abort = new AbortController();
    const result = this.fetchAndCache(key, { ...request, abort: abort.signal }).finally(() =>
      this.forget(key, fetch),
    );
    const fetch: Fetch = { limit: request.limit, waiting: 0, abort, result };
    this.running.set(key, fetch);
    return fetch;
  }

  private async fetchAndCache(key: string, request: CandleRequest): Promise<CandleSeries> {
    const series = await this.source.candles(request);
    const { timeframe, limit } = request;
    this.kept.set(key, { series, limit, freshUntil: freshUntil(series, timeframe, this.now()) });
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

/** When a newer candle may exist, Unix milliseconds. */
function freshUntil(series: CandleSeries, timeframe: Timeframe, now: number): number {
  const last = series.candles.at(-1);
  if (!last) return now;
  const { hours, delayMs } = series.market ?? { hours: "always", delayMs: 0 };
  const lengthMs = TIMEFRAME_MS[timeframe];
  const nextCloses = last.time + 2 * lengthMs;
  const isComplete = !isOpen(hours, now - delayMs - lengthMs);
  if (!isOpen(hours, now) && isComplete) return nextOpen(hours, now);
  if (nextCloses > now) return nextCloses;
  return now + (delayMs > 0 ? DELAYED_TTL_MS : LATE_TTL_MS);
}

/** Returns the same object for equal requests, so that values computed from it are shared too. */
function newest(series: CandleSeries, limit: number): CandleSeries {
  if (series.candles.length <= limit) return series;
  return { ...series, candles: series.candles.slice(-limit) };
}
