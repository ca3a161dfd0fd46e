import {
  type MarketDataSource,
  nextPriceDueMs,
  type PriceFeed,
  priceHoldMs,
  TIMEFRAME_MS,
} from "@shared/contract/market-data.ts";
import type { Database } from "@shared/database/database.ts";
import {
  type LivePriceRecord,
  PRICE_WATCHER_TIMEOUT_MS,
} from "@shared/database/models/market-data.ts";
import { isOpen } from "@shared/domain/trading-hours.ts";
import { repeat } from "@shared/runtime/repeat.ts";
import { Semaphore } from "async-mutex";
import { withDeadline } from "../deadline.ts";
import { Lease } from "../lease.ts";
import type { CandleSeries, MarketData, PriceStream } from "../market-data/market-data.ts";
import type { MarketDataSelection } from "../market-data/select-market-data.ts";
import type { WorkerDeps } from "../worker-deps.ts";
import { EXCHANGE_FEED_LIMITS, ExchangeFeed, type ExchangeFeedLimits } from "./exchange-feed.ts";

/** Spares the providers: a request for each watched market. `delayed`: the provider publishes late, or the market is closed. */
const POLL_INTERVALS_MS = { live: 5_000, replay: 1_000, delayed: 30_000, failed: 5_000 };

export interface PriceFeedLimits extends ExchangeFeedLimits {
  pollMs: typeof POLL_INTERVALS_MS;
}

type PriceFeedDeps = Pick<WorkerDeps, "database" | "logger" | "marketData" | "metrics"> &
  Pick<WorkerDeps, "now" | "shutdown"> & {
    market: Pick<MarketDataSelection, "priceStream">;
    limits?: PriceFeedLimits;
  };

const ROUND_INTERVAL_MS = 500;

/** Brings the live prices that servers want. One worker does it for all; if it stops, another goes on in seconds. */
export function startPrices(deps: PriceFeedDeps & { workerId: string }): {
  stop: () => Promise<void>;
} {
  const { database, logger, workerId: owner } = deps;
  const lease = new Lease({ database, name: "prices", owner });
  const feeds = new PriceFeeds(deps);
  const rounds = repeat({
    async work() {
      const isLeader = await lease.hold();
      feeds.watch(isLeader ? await findWatchedSymbols(deps) : new Set());
      feeds.round();
    },
    intervalMs: ROUND_INTERVAL_MS,
    retryMs: ROUND_INTERVAL_MS,
    onError(error) {
      logger.warn({ err: error }, "watched prices not read");
      if (!lease.isHeld) feeds.watch(new Set());
    },
  });
  return {
    async stop() {
      await rounds.stop();
      feeds.watch(new Set());
      await lease.release();
    },
  };
}

async function findWatchedSymbols({
  database,
}: Pick<PriceFeedDeps, "database">): Promise<ReadonlySet<string>> {
  const oldest = { $subtract: ["$$NOW", PRICE_WATCHER_TIMEOUT_MS] };
  const watchers = await database.priceWatchers
    .find({ $expr: { $gt: ["$seenAt", oldest] } })
    .lean();
  return new Set(watchers.flatMap(({ symbols }) => symbols));
}

/** Signals have priority. */
const MAX_POLLS = 8;
/** A stream brings its first price sooner. */
const STREAM_GRACE_MS = 1_500;
/** How long a market is polled before its stream is chosen again: an exchange may be reachable by then. */
const CHOICE_MS = 60_000;

interface WatchedMarket {
  symbol: string;
  /** Undefined if it has to be polled. */
  exchange: ExchangeFeed | undefined;
  choosesAt: number;
  pollsAt: number;
  feed: PriceFeed | undefined;
}

/** One feed for each watched market: the WebSocket of an exchange, or polling where there is none or while it is silent. */
class PriceFeeds {
  readonly #deps: PriceFeedDeps;
  readonly #limits: PriceFeedLimits;
  readonly #writer: PriceWriter;
  readonly #slots = new Semaphore(MAX_POLLS);
  readonly #markets = new Map<string, WatchedMarket>();
  readonly #exchanges = new Map<string, ExchangeFeed>();

  constructor(deps: PriceFeedDeps) {
    this.#deps = deps;
    this.#limits = deps.limits ?? { ...EXCHANGE_FEED_LIMITS, pollMs: POLL_INTERVALS_MS };
    this.#writer = new PriceWriter(deps);
  }

  /** Starts and stops feeds so that exactly these markets have one. */
  watch(symbols: ReadonlySet<string>): void {
    for (const market of this.#markets.values()) {
      if (!symbols.has(market.symbol)) this.#remove(market);
    }
    for (const symbol of symbols) {
      if (this.#markets.has(symbol)) continue;
      const choosesAt = 0;
      const pollsAt = Number.POSITIVE_INFINITY;
      const market = { symbol, exchange: undefined, choosesAt, pollsAt, feed: undefined };
      this.#markets.set(symbol, market);
    }
  }

  /** What is due. Called often. */
  round(): void {
    for (const feed of this.#exchanges.values()) feed.check();
    const now = performance.now();
    for (const market of this.#markets.values()) {
      if (!market.exchange && now >= market.choosesAt) {
        market.choosesAt = now + CHOICE_MS;
        void this.#choose(market);
      }
      if (now < market.pollsAt || market.exchange?.isLive(market.symbol)) continue;
      market.pollsAt = Number.POSITIVE_INFINITY;
      void this.#slots.runExclusive(() => this.#poll(market));
    }
    this.#deps.metrics.priceFeeds([...this.#markets.values()].map(({ feed }) => feed));
  }

  async #choose(market: WatchedMarket): Promise<void> {
    const stream = await this.#deps.market.priceStream(market.symbol);
    if (!this.#isWatched(market)) return;
    const isFirst = market.pollsAt === Number.POSITIVE_INFINITY && market.feed === undefined;
    if (isFirst) market.pollsAt = performance.now() + (stream ? STREAM_GRACE_MS : 0);
    if (!stream) return;
    market.exchange = this.#feedOf(stream);
    market.exchange.watch(market.symbol);
  }

  #feedOf(stream: PriceStream): ExchangeFeed {
    const { exchange } = stream;
    const open = this.#exchanges.get(exchange);
    if (open) return open;
    const feed = new ExchangeFeed({
      stream,
      logger: this.#deps.logger,
      limits: this.#limits,
      onPrice: (symbol, price) => this.#receive(exchange, symbol, price),
      onLost: () => this.#pollFor(exchange),
    });
    this.#exchanges.set(exchange, feed);
    return feed;
  }

  #receive(provider: string, symbol: string, price: number): void {
    const market = this.#markets.get(symbol);
    if (!market) return;
    market.pollsAt = performance.now() + this.#limits.pollMs.live;
    this.#write(market, "websocket", { price, at: this.#deps.now(), provider, data: "live" });
  }

  #pollFor(exchange: string): void {
    this.#deps.metrics.priceFeedLost(exchange);
    const feed = this.#exchanges.get(exchange);
    for (const market of this.#markets.values()) {
      if (market.exchange === feed) market.pollsAt = Math.min(market.pollsAt, performance.now());
    }
  }

  async #poll(market: WatchedMarket): Promise<void> {
    if (!this.#isWatched(market)) return;
    const { symbol } = market;
    const polled = await pollPrice(this.#deps, symbol, this.#deps.shutdown).catch(
      (error: unknown) => this.#deps.logger.debug({ err: error, symbol }, "price not polled"),
    );
    market.pollsAt = performance.now() + this.#intervalAfter(polled ?? undefined);
    if (!polled || !this.#isWatched(market) || market.exchange?.isLive(symbol)) return;
    const { price, at, provider, data } = polled;
    const feed = market.exchange?.isLost ? "fallback" : "polling";
    this.#write(market, feed, { price, at: new Date(at), provider, data });
  }

  #intervalAfter(polled: PolledPrice | undefined): number {
    const { failed, delayed, ...intervals } = this.#limits.pollMs;
    if (!polled) return failed;
    return polled.isDelayed ? delayed : intervals[polled.data];
  }

  #write(
    market: WatchedMarket,
    feed: PriceFeed,
    price: Pick<PolledPrice, "price" | "provider" | "data"> & { at: Date },
  ): void {
    market.feed = feed;
    this.#writer.write({ _id: market.symbol, feed, ...price });
  }

  #isWatched = (market: WatchedMarket): boolean => this.#markets.get(market.symbol) === market;

  #remove({ symbol, exchange }: WatchedMarket): void {
    this.#markets.delete(symbol);
    this.#writer.forget(symbol);
    exchange?.unwatch(symbol);
  }
}

const POLL_TIMEOUT_MS = 7_000;
/** The candles that polled prices are of. Those of other timeframes have the same price. */
const PRICE_TIMEFRAME = "1h";
/** Enough for every provider, at the cost of one. */
const CANDLES = 2;

interface PolledPrice {
  price: number;
  at: number;
  provider: string;
  data: MarketDataSource;
  isDelayed: boolean;
}

/** The newest price of a market from its candles. Rejects with `ProviderError`. */
async function pollPrice(
  { marketData, now }: { marketData: MarketData; now: () => Date },
  symbol: string,
  abort: AbortSignal,
): Promise<PolledPrice> {
  const request = { symbol, timeframe: PRICE_TIMEFRAME, limit: CANDLES, withOpen: true } as const;
  const series = await withDeadline(abort, POLL_TIMEOUT_MS, (inTime) =>
    marketData.candles({ ...request, abort: inTime }),
  );
  return newestPrice(series, now().getTime());
}

function newestPrice(series: CandleSeries, now: number): PolledPrice {
  const { candles, open, provider, data, market } = series;
  const { hours, delayMs } = market ?? { hours: "always", delayMs: 0 };
  const isTrading = open !== undefined && isOpen(hours, now - delayMs);
  const newest = open ?? candles.at(-1);
  if (!newest) throw new Error("a series without candles");
  const closedAt = newest.time + TIMEFRAME_MS[PRICE_TIMEFRAME];
  return {
    price: newest.close,
    at: Math.min(now - delayMs, isTrading ? now : closedAt),
    provider,
    data,
    isDelayed: !isTrading || delayMs > 0,
  };
}

/** An unchanged price is confirmed so often. */
const CONFIRM_INTERVAL_MS = 10_000;

type NewPrice = Omit<LivePriceRecord, "writtenAt">;

interface Writing {
  last: NewPrice | undefined;
  lastAtMs: number;
  dueMs: number;
  next: NewPrice | undefined;
  timer: NodeJS.Timeout | undefined;
  isRunning: boolean;
}

type PriceWriterDeps = Pick<WorkerDeps, "logger" | "now"> & {
  database: Database;
};

/** Stores the last price of each market, at most once a second. */
class PriceWriter {
  readonly #deps: PriceWriterDeps;
  readonly #writing = new Map<string, Writing>();

  constructor(deps: PriceWriterDeps) {
    this.#deps = deps;
  }

  write(price: NewPrice): void {
    const writing = this.#writing.get(price._id) ?? {
      last: undefined,
      next: undefined,
      timer: undefined,
      lastAtMs: Number.NEGATIVE_INFINITY,
      dueMs: Number.NEGATIVE_INFINITY,
      isRunning: false,
    };
    this.#writing.set(price._id, writing);
    if (isKnown(writing, price)) return;
    writing.next = price;
    this.#schedule(writing);
  }

  /** Drops what waits. */
  forget(symbol: string): void {
    const writing = this.#writing.get(symbol);
    clearTimeout(writing?.timer);
    if (writing) writing.next = undefined;
    this.#writing.delete(symbol);
  }

  #schedule(writing: Writing): void {
    clearTimeout(writing.timer);
    if (!writing.next || writing.isRunning) return;
    const holdMs = priceHoldMs(performance.now(), writing.dueMs);
    if (holdMs === 0) void this.#store(writing, writing.next);
    else writing.timer = setTimeout(() => this.#schedule(writing), Math.ceil(holdMs));
  }

  async #store(writing: Writing, price: NewPrice): Promise<void> {
    const { database, logger, now } = this.#deps;
    Object.assign(writing, { last: price, next: undefined, isRunning: true });
    writing.lastAtMs = performance.now();
    writing.dueMs = nextPriceDueMs(writing.lastAtMs, writing.dueMs);
    const { _id, ...fields } = price;
    try {
      const stored = { ...fields, writtenAt: now() };
      await database.livePrices.replaceOne({ _id }, stored, { upsert: true });
    } catch (error) {
      logger.warn({ err: error, symbol: _id }, "price not stored");
      writing.last = undefined;
    }
    writing.isRunning = false;
    this.#schedule(writing);
  }
}

function isKnown({ next, last, lastAtMs }: Writing, { price, feed }: NewPrice): boolean {
  const known = next ?? last;
  if (known?.price !== price || known.feed !== feed) return false;
  return next !== undefined || performance.now() - lastAtMs < CONFIRM_INTERVAL_MS;
}
