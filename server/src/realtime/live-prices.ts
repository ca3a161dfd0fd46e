import { randomUUID } from "node:crypto";
import { PRICE_STALE_MS } from "@shared/contract/constants.ts";
import {
  type LivePrice,
  nextPriceDueMs,
  priceHoldMs,
  type StalePrice,
} from "@shared/contract/market-data.ts";
import { ChangeFeed } from "@shared/database/change-feed.ts";
import type { Database } from "@shared/database/database.ts";
import type { Logger } from "@shared/runtime/logger.ts";
import { repeat } from "@shared/runtime/repeat.ts";
import { z } from "zod";

/** A socket that watches prices. */
export interface PriceViewer {
  readonly id: string;
  /** It has not taken what it was sent. Prices do not wait for it. */
  isBehind(): boolean;
  hasAccess(): boolean;
}

interface SentPrice {
  price: LivePrice | undefined;
  /** When the next one is due. */
  dueMs: number;
}

interface WatchedMarket {
  latest: LivePrice | undefined;
  viewers: Map<PriceViewer, SentPrice>;
  timer: NodeJS.Timeout | undefined;
  /** Until when the price counts as current without a confirmation, by the monotonic clock. */
  currentUntilMs: number;
  isStale: boolean;
  /** Since when it has no viewers. */
  emptySinceMs: number;
}

const storedPriceSchema = z.object({
  _id: z.string(),
  price: z.number(),
  at: z.date(),
  writtenAt: z.date(),
});

const REPORT_INTERVAL_MS = 1_000;
/** Until a viewer whose connection is slow is looked at again. */
const SLOW_VIEWER_WAIT_MS = 1_000;
const CHECK_INTERVAL_MS = 250;
/** Viewers who change screens do not stop a feed. */
const LINGER_MS = 2_000;
/** Waits are rounded, so that a timer serves many viewers. */
const TIMER_GRID_MS = 20;

interface LivePricesOptions {
  database: Database;
  logger: Logger;
  send: (viewerIds: string[], price: LivePrice) => void;
  sendStale: (viewerIds: string[], stale: StalePrice) => void;
}

/** The prices of the markets that sockets of this server watch, as a worker stores them. */
export class LivePrices {
  readonly #options: LivePricesOptions;
  readonly #serverId = randomUUID();
  readonly #markets = new Map<string, WatchedMarket>();
  readonly #symbols = new Map<PriceViewer, readonly string[]>();
  readonly #changes: ChangeFeed;
  #checks: ReturnType<typeof repeat> | undefined;
  #reported = "";
  #reportedAtMs = 0;

  constructor(options: LivePricesOptions) {
    const { database, logger } = options;
    this.#options = options;
    this.#changes = new ChangeFeed({
      database,
      logger,
      collection: database.livePrices.collection.collectionName,
      onWrite: (document) => this.#receive(document, 0),
      onOpen: () => void this.#read([...this.#markets.keys()]),
    });
  }

  /** Resolves when prices arrive. */
  async start(): Promise<void> {
    await this.#changes.start();
    this.#checks = repeat({
      work: () => this.#check(),
      intervalMs: CHECK_INTERVAL_MS,
      retryMs: REPORT_INTERVAL_MS,
      onError: (error) =>
        this.#options.logger.warn({ err: error }, "watched prices not reported to the workers"),
    });
  }

  async stop(): Promise<void> {
    for (const market of this.#markets.values()) clearTimeout(market.timer);
    await Promise.all([this.#checks?.stop(), this.#changes.stop()]);
    await this.#options.database.priceWatchers.deleteOne({ _id: this.#serverId });
  }

  /** Replaces what the viewer watched. It gets the last known prices at once. */
  watch(viewer: PriceViewer, symbols: readonly string[]): void {
    for (const symbol of this.#symbols.get(viewer) ?? []) {
      if (!symbols.includes(symbol)) this.#remove(viewer, symbol);
    }
    if (symbols.length > 0) this.#symbols.set(viewer, symbols);
    else this.#symbols.delete(viewer);
    const unknown: string[] = [];
    for (const symbol of symbols) {
      const market = this.#marketOf(symbol);
      const dueMs = market.viewers.get(viewer)?.dueMs ?? Number.NEGATIVE_INFINITY;
      market.viewers.set(viewer, { price: undefined, dueMs });
      if (market.latest) this.#flush(market);
      else unknown.push(symbol);
    }
    if (unknown.length > 0) void this.#read(unknown);
  }

  #marketOf(symbol: string): WatchedMarket {
    const known = this.#markets.get(symbol);
    if (known) return known;
    const nothing = { latest: undefined, timer: undefined, emptySinceMs: 0 };
    const state = { currentUntilMs: 0, isStale: false };
    const market = { ...nothing, ...state, viewers: new Map<PriceViewer, SentPrice>() };
    this.#markets.set(symbol, market);
    return market;
  }

  #remove(viewer: PriceViewer, symbol: string): void {
    const market = this.#markets.get(symbol);
    if (!market?.viewers.delete(viewer) || market.viewers.size > 0) return;
    market.emptySinceMs = performance.now();
    clearTimeout(market.timer);
  }

  async #read(symbols: readonly string[]): Promise<void> {
    if (symbols.length === 0) return;
    const { database, logger } = this.#options;
    try {
      const ids = { _id: { $in: [...symbols] } };
      const stored = await database.livePrices.find(ids).lean();
      for (const document of stored) {
        this.#receive(document, Math.max(0, Date.now() - document.writtenAt.getTime()));
      }
    } catch (error) {
      logger.warn({ err: error }, "last prices not read");
    }
  }

  /** An unchanged price is a confirmation: it is sent to viewers who have none yet, but not again. */
  #receive(document: unknown, writtenMsAgo: number): void {
    const { data } = storedPriceSchema.safeParse(document);
    const market = data && this.#markets.get(data._id);
    if (!market) return;
    const { _id: symbol, price, writtenAt } = data;
    const at = data.at.toISOString();
    const { latest } = market;
    if (latest && latest.price === price && latest.at >= at) return;
    const ageMs = writtenMsAgo + Math.max(0, writtenAt.getTime() - data.at.getTime());
    market.currentUntilMs = performance.now() + PRICE_STALE_MS - ageMs;
    market.latest = { symbol, price, at };
    if (latest?.price === price) {
      for (const sent of market.viewers.values()) {
        if (sent.price === latest) sent.price = market.latest;
      }
    }
    this.#flush(market);
    this.#checkStale(market);
  }

  #checkStale(market: WatchedMarket): void {
    const { latest, viewers, isStale, currentUntilMs } = market;
    if (!latest || isStale === performance.now() > currentUntilMs) return;
    market.isStale = !isStale;
    const { symbol, at } = latest;
    const ids = [...viewers].filter(([, { price }]) => price).map(([{ id }]) => id);
    if (ids.length > 0) this.#options.sendStale(ids, { symbol, at, stale: market.isStale });
  }

  /** Sends the price to viewers without it, each at most once a second. */
  #flush(market: WatchedMarket): void {
    const { latest, viewers } = market;
    if (!latest) return;
    const now = performance.now();
    const due: string[] = [];
    let waitMs = Number.POSITIVE_INFINITY;
    for (const [viewer, sent] of viewers) {
      if (sent.price === latest) continue;
      const holdMs = priceHoldMs(now, sent.dueMs);
      if (holdMs > 0 || viewer.isBehind()) {
        waitMs = Math.min(waitMs, holdMs || SLOW_VIEWER_WAIT_MS);
        continue;
      }
      due.push(viewer.id);
      sent.price = latest;
      sent.dueMs = nextPriceDueMs(now, sent.dueMs);
    }
    if (due.length > 0) this.#options.send(due, latest);
    clearTimeout(market.timer);
    if (waitMs === Number.POSITIVE_INFINITY) return;
    const delayMs = Math.ceil(waitMs / TIMER_GRID_MS) * TIMER_GRID_MS;
    market.timer = setTimeout(() => this.#flush(market), delayMs);
  }

  async #check(): Promise<void> {
    for (const viewer of this.#symbols.keys()) if (!viewer.hasAccess()) this.watch(viewer, []);
    const now = performance.now();
    for (const [symbol, market] of this.#markets) {
      const { viewers, emptySinceMs } = market;
      this.#checkStale(market);
      if (viewers.size === 0 && now - emptySinceMs > LINGER_MS) this.#markets.delete(symbol);
    }
    const symbols = [...this.#markets.keys()].sort();
    const isChanged = symbols.join() !== this.#reported;
    if (!isChanged && (symbols.length === 0 || now - this.#reportedAtMs < REPORT_INTERVAL_MS)) {
      return;
    }
    await this.#report(symbols);
    this.#reported = symbols.join();
    this.#reportedAtMs = now;
  }

  /** Informs the workers, which stop the feeds of a server that no longer does. */
  async #report(symbols: readonly string[]): Promise<void> {
    const { priceWatchers } = this.#options.database;
    const _id = this.#serverId;
    if (symbols.length === 0) return void (await priceWatchers.deleteOne({ _id }));
    await priceWatchers.updateOne(
      { _id },
      [{ $set: { symbols: { $literal: symbols }, seenAt: "$$NOW" } }],
      { upsert: true, updatePipeline: true },
    );
  }
}
