import { findInstrument } from "@shared/contract/instruments.ts";
import { TIMEFRAME_MS, type Timeframe } from "@shared/contract/market-data.ts";
import type { Logger } from "@shared/runtime/logger.ts";
import type { Exchange, MarketInterface } from "ccxt";
import { z } from "zod";
import { raceAbort } from "../../deadline.ts";
import {
  closedCandles,
  firstOpeningTime,
  openCandle,
  openingTime,
  orderRows,
  readRows,
  resample,
  sourceTimeframe,
} from "../candles.ts";
import { CANDLE_LIMITS, type RequestLimits } from "../fetch-body.ts";
import type {
  CandleRequest,
  CandleSeries,
  LiveProvider,
  PriceStream,
  SeriesMarket,
} from "../market-data.ts";
import { isRateLimit, ProviderError } from "../market-data.ts";
import { abortedByCaller } from "../provider-deadline.ts";
import { ProviderPauses } from "../provider-pauses.ts";
import { createPriceStream } from "./ccxt-price-stream.ts";
import {
  createExchange,
  createExchangeFetch,
  MARKET_LIMITS,
  requestScope,
  toProviderError,
} from "./exchange-client.ts";

export interface CcxtLimits {
  candles: RequestLimits;
  markets: RequestLimits;
}

const DEFAULT_LIMITS: CcxtLimits = {
  candles: CANDLE_LIMITS,
  markets: MARKET_LIMITS,
};

const MAX_AGE_MS = 6 * TIMEFRAME_MS["1h"];

const USUAL_PAGE_SIZE = 200;

/** Requested before the first candle, as a market may be quiet at the start and the newest candle late. */
const SPARE_CANDLES = 10;

const featuresSchema = z.object({
  spot: z.object({ fetchOHLCV: z.object({ limit: z.number().int().positive() }) }),
});

export interface CcxtOptions {
  exchangeId: string;
  baseUrl?: string | undefined;
  /** Replaces scheme and host of its WebSockets. */
  wsUrl?: string | undefined;
  now: () => number;
  logger: Logger;
  limits?: CcxtLimits | undefined;
  /** Keep to the request rate of the exchange by waiting; on by default. */
  pace?: boolean | undefined;
  /** Of all providers of this process; its own ones by default. */
  pauses?: ProviderPauses | undefined;
}

/** Spot candles of one exchange, through ccxt. */
export class CcxtMarketData implements LiveProvider {
  readonly name: string;
  readonly prices: PriceStream | undefined;
  private readonly now: () => number;
  private readonly limits: CcxtLimits;
  private readonly exchange: Exchange;
  private readonly logger: Logger;
  private readonly pauses: ProviderPauses;
  private readonly pageSize: number;
  private answers = 0;
  private listed: { symbols: ReadonlySet<string>; loadedAt: number } | undefined;
  private loading: Promise<ReadonlySet<string>> | undefined;

  constructor(options: CcxtOptions) {
    const { exchangeId, baseUrl, wsUrl, now, logger } = options;
    const { limits = DEFAULT_LIMITS, pace = true } = options;
    this.name = exchangeId;
    this.now = now;
    this.limits = limits;
    this.logger = logger;
    this.pauses = options.pauses ?? new ProviderPauses();
    const onAnswer = () => {
      this.answers += 1;
    };
    const fetch = createExchangeFetch({ provider: exchangeId, baseUrl, onAnswer });
    this.exchange = createExchange({ id: exchangeId, fetch, pace });
    keepAllRows(this.exchange);
    // What replaces the exchange has no WebSocket unless its address is given, too.
    if (wsUrl || !baseUrl) {
      const markets = () => Object.values(this.exchange.markets ?? {});
      const { pauses } = this;
      this.prices = createPriceStream({ exchangeId, fetch, pace, wsUrl, limits, markets, pauses });
    }
    const features = featuresSchema.safeParse(this.exchange.features);
    this.pageSize = features.data?.spot.fetchOHLCV.limit ?? USUAL_PAGE_SIZE;
  }

  covers(symbol: string): boolean {
    return exchangeCovers(this.name, symbol);
  }

  symbols(abort: AbortSignal): Promise<string[]> {
    return this.withProviderErrors(abort, async () => {
      const symbols = await this.markets();
      return [...symbols].filter((symbol) => this.covers(symbol));
    });
  }

  candles(request: CandleRequest): Promise<CandleSeries> {
    return this.withProviderErrors(request.abort, async () => {
      const source = sourceTimeframe(request.timeframe, Object.keys(this.exchange.timeframes));
      const symbols = await this.markets();
      if (!source || !this.covers(request.symbol) || !symbols.has(request.symbol)) {
        throw new ProviderError({
          provider: this.name,
          failure: "unknown-symbol",
          message: `${request.symbol} at ${request.timeframe} is not listed`,
        });
      }
      const { candles, open } = await this.fetchCandles(request, source);
      return {
        candles: candles.slice(-request.limit),
        ...(open && { open }),
        provider: this.name,
        data: "live",
        notes: [],
        ...marketOf(request.symbol),
      };
    });
  }

  async isReachable(abort: AbortSignal): Promise<boolean> {
    const answersBefore = this.answers;
    try {
      await this.withProviderErrors(abort, () => this.ping(abort));
      return true;
    } catch (error) {
      // Any HTTP response, even an error, means that the exchange is reachable. One that is left alone gave one.
      return this.answers > answersBefore || isRateLimit(error);
    }
  }

  private async ping(abort: AbortSignal): Promise<void> {
    const answersBefore = this.answers;
    const [symbol] = await this.markets();
    if (this.answers > answersBefore || !symbol) return;
    const since = firstOpeningTime("1h", { count: 1, now: this.now() });
    await this.fetchRows({ symbol, timeframe: "1h", since, count: 1, abort });
  }

  /**
   * Requests the open candle, too, as it shows that a missing one before it had no trades. Falls back to the last
   * candles if the feed has stopped.
   */
  private async fetchCandles(
    request: CandleRequest,
    source: Timeframe,
  ): Promise<Pick<CandleSeries, "candles" | "open">> {
    const { symbol, timeframe, abort, limit, withOpen, until, through = 0 } = request;
    const now = Math.max(this.now(), through);
    const closedUntil = openingTime(Math.min(now, until ?? now), timeframe);
    const since = firstOpeningTime(timeframe, { count: limit + SPARE_CANDLES, now: closedUntil });
    const count = (closedUntil + TIMEFRAME_MS[timeframe] - since) / TIMEFRAME_MS[source];
    const range = { symbol, timeframe: source, count, abort };
    const current = readRows(await this.fetchRows({ ...range, since }));
    const inRange = current.filter(({ time }) => time >= since);
    const isPast = until !== undefined;
    const shown = inRange.length > 0 || isPast ? inRange : readRows(await this.fetchRows(range));
    const rows = orderRows(shown, source, now);
    const parts = closedCandles(rows, { timeframe: source, count, closedUntil });
    const candles = source === timeframe ? parts : resample(parts, { from: source, to: timeframe });
    return { candles, ...(withOpen && { open: openCandle(rows, { closed: candles, timeframe }) }) };
  }

  /** The newest candles, without `since`. */
  private async fetchRows(range: {
    symbol: string;
    timeframe: Timeframe;
    since?: number;
    count: number;
    abort: AbortSignal;
  }): Promise<unknown[]> {
    const { symbol, timeframe, since, count, abort } = range;
    const { pageSize } = this;
    const stepMs = TIMEFRAME_MS[timeframe];
    const pages =
      since === undefined
        ? [{ since, count: Math.min(count, pageSize) }]
        : planPages({ since, count, stepMs, pageSize });
    const scope = { abort, limits: this.limits.candles };
    const answers = await Promise.all(
      pages.map((page) =>
        this.call(scope, () => this.exchange.fetchOHLCV(symbol, timeframe, page.since, page.count)),
      ),
    );
    return answers.flat();
  }

  /** A call of ccxt that sends one request. */
  private call<Answer>(
    scope: { abort: AbortSignal; limits: RequestLimits },
    send: () => Promise<Answer>,
  ): Promise<Answer> {
    return this.pauses.run(this.name, (admit) =>
      requestScope.run({ ...scope, admit }, send).catch((error: unknown) => {
        throw toProviderError(error, this.name);
      }),
    );
  }

  /** Symbols that can be traded now. Rejects with `ProviderError` of scope `provider`. */
  private async markets(): Promise<ReadonlySet<string>> {
    if (!this.listed) return this.loadMarkets();
    if (this.now() - this.listed.loadedAt > MAX_AGE_MS) {
      this.loadMarkets().catch((error: unknown) =>
        this.logger.warn({ err: error, provider: this.name }, "markets not renewed"),
      );
    }
    return this.listed.symbols;
  }

  /** Once for simultaneous callers, and again after a failure: ccxt's `loadMarkets` caches failures. */
  private loadMarkets(): Promise<ReadonlySet<string>> {
    this.loading ??= this.fetchMarkets()
      .catch((error: unknown) => {
        throw toProviderError(error, this.name).ofProvider();
      })
      .finally(() => {
        this.loading = undefined;
      });
    return this.loading;
  }

  /** Not bound to a caller's signal: all callers share the list. */
  private async fetchMarkets(): Promise<ReadonlySet<string>> {
    const scope = { abort: new AbortController().signal, limits: this.limits.markets };
    const all = await this.call(scope, () => this.exchange.fetchMarkets());
    const markets = all.filter(isSpotMarket);
    if (markets.length === 0) {
      const message = "the list of markets is empty";
      throw new ProviderError({ provider: this.name, failure: "nonsense", message });
    }
    this.exchange.setMarkets(markets);
    const tradable = markets.filter(({ active }) => active !== false);
    const symbols = new Set(tradable.map(({ symbol }) => symbol));
    this.listed = { symbols, loadedAt: this.now() };
    return symbols;
  }

  private async withProviderErrors<T>(abort: AbortSignal, work: () => Promise<T>): Promise<T> {
    try {
      return await raceAbort(work(), abort);
    } catch (error) {
      throw abort.aborted ? abortedByCaller(this.name, error) : toProviderError(error, this.name);
    }
  }
}

/** ccxt fails at a row that is null, and keeps only as many as were requested: of doubled rows those of the older half. */
function keepAllRows(exchange: Exchange): void {
  exchange.parseOHLCVs = (rows: unknown, market) =>
    Array.isArray(rows) ? rows.filter(isRow).map((row) => exchange.parseOHLCV(row, market)) : [];
}

const isRow = (row: unknown) => typeof row === "object" && row !== null;

/** Forex trades on exchanges at weekends too, but the hours of the market count. */
function marketOf(symbol: string): { market?: SeriesMarket } {
  const hours = findInstrument(symbol)?.hours ?? "always";
  return hours === "always" ? {} : { market: { hours, delayMs: 0 } };
}

export function planPages(options: {
  since: number;
  count: number;
  stepMs: number;
  pageSize: number;
}): { since: number; count: number }[] {
  const { since, count, stepMs, pageSize } = options;
  return Array.from({ length: Math.ceil(count / pageSize) }, (_, page) => ({
    since: since + page * pageSize * stepMs,
    count: Math.min(pageSize, count - page * pageSize),
  }));
}

/** Crypto exchanges list other things under the same name: `SPX` is a memecoin, a tokenized metal is not the metal. */
function exchangeCovers(exchangeId: string, symbol: string): boolean {
  const instrument = findInstrument(symbol);
  if (!instrument) return symbol.includes("/");
  return instrument.exchanges?.includes(exchangeId) ?? true;
}

function isSpotMarket(market: MarketInterface | undefined): market is MarketInterface {
  return Boolean(market?.spot && market.id && market.base && market.quote);
}
