import { DAY_MS, TIMEFRAMES } from "@shared/contract/constants.ts";
import { findInstrument, type TradingHours } from "@shared/contract/instruments.ts";
import type { LedgerFigures } from "@shared/contract/ledger.ts";
import type { MarketDataSource } from "@shared/contract/market-data.ts";
import { type Candle, TIMEFRAME_MS, type Timeframe } from "@shared/contract/market-data.ts";
import { marketKey } from "@shared/database/models/market-analysis.ts";
import { isTraded, withFlatCandles } from "@shared/outcomes/flat-candles.ts";
import type { CandleSource } from "@shared/outcomes/resolve-again.ts";
import { coversCandle } from "@shared/outcomes/resolve-trade.ts";
import type { CandleParts } from "@shared/outcomes/simulate-trade.ts";
import { LRUCache } from "lru-cache";
import { openingTime } from "../market-data/candles.ts";
import type { CandleRequest, MarketData } from "../market-data/market-data.ts";
import { ProviderError } from "../market-data/market-data.ts";
import { GapRegister } from "./candle-gaps.ts";

export interface Market {
  data: MarketDataSource;
  /** The one that decides. */
  provider: string;
  symbol: string;
  timeframe: Timeframe;
}

export interface ReadOptions {
  now: number;
  abort: AbortSignal;
  /** All candles until `now` are there that will ever be. */
  isSettled?: boolean;
}

type ReadOrder = Omit<CandleRequest, "symbol" | "prefer" | "only">;

type PartsOrder = ReadOptions & { candle: Candle; timeframe: Timeframe };

/** Blocks have fixed borders, so that trades share them. */
const BLOCK_CANDLES = 300;
/** Read after a range, as only a later candle shows that its end is not just late. */
const LATER_CANDLES = 30;
const MAX_SPAN_CANDLES = 5_000;
/** Read before a range that starts with a gap: the close before says what the gap stands at. */
const EARLIER_CANDLES = 300;
const MAX_PARTS = 300;
/** Smaller requests cost the same, and a late newest candle does not matter in longer ones. */
const MIN_CANDLES = 30;
/** Shorter candles that a provider has not given so long after a candle will not come. */
const MAX_PARTS_DELAY_MS = DAY_MS;
/** About 30 MB. */
const MAX_CACHED_CANDLES = 200_000;

/** `late`: the end of a candle may still come; `doubtful`: something before it too. */
type Certainty = "final" | "late" | "doubtful";

/** Certain candles of a market: what is missing among them was not traded. */
export interface KnownCandles {
  candles: Candle[];
  /** Later candles are there, but one before them may still come. */
  isCut: boolean;
}

interface ShownCandles {
  candles: Candle[];
  hours: TradingHours;
}

/** The newest closed candles of a market, as its provider shows them. */
export interface NewestCandles extends ShownCandles {
  /** Of the block that is not over. */
  start: number;
  /** Time that they were read from, earlier than `start` if these show a gap there. */
  readFrom: number;
  /** Earlier blocks by their start, each read once for all trades. */
  blocks: Map<number, Candle[]>;
}

/**
 * Reads and caches the candles that resolve signals: live ones for live signals, replayed ones for replayed signals. Of
 * live ones it asks one provider alone, and counts only what that one cannot complete any more.
 */
export class CandleArchive {
  readonly #sources: Readonly<Record<MarketDataSource, MarketData | undefined>>;
  readonly #gaps = new GapRegister();
  /** Opening time of the first candle in doubt, by market. */
  readonly #doubtful = new Map<string, number>();
  readonly #kept = new LRUCache<string, { parts: CandleParts | null }>({
    maxSize: MAX_CACHED_CANDLES,
    sizeCalculation: ({ parts }) => 1 + (parts?.candles.length ?? 0),
  });

  constructor(sources: Readonly<Record<MarketDataSource, MarketData | undefined>>) {
    this.#sources = sources;
  }

  /**
   * Closed candles from the one that contains `from`, oldest first.
   * @throws ProviderError
   */
  async since(
    market: Market,
    { from, ...options }: ReadOptions & { from: number },
  ): Promise<Candle[]> {
    const newest = await this.newest(market, options);
    return (await this.known(market, newest, { from, ...options })).candles;
  }

  /**
   * Read once for all trades of a market.
   * @throws ProviderError
   */
  async newest(market: Market, options: ReadOptions): Promise<NewestCandles> {
    const lengthMs = TIMEFRAME_MS[market.timeframe];
    const blockMs = BLOCK_CANDLES * lengthMs;
    const openNow = openingTime(options.now, market.timeframe);
    const start = Math.floor((openNow - 1) / blockMs) * blockMs;
    const shown = await this.#readNewest(market, options, start);
    return { ...shown, start, readFrom: start, blocks: new Map() };
  }

  async #readNewest(
    market: Market,
    { now, abort, isSettled = false }: ReadOptions,
    from: number,
  ): Promise<ShownCandles> {
    const { timeframe } = market;
    const openNow = openingTime(now, timeframe);
    const limit = Math.max((openNow - from) / TIMEFRAME_MS[timeframe], MIN_CANDLES);
    // A cached answer would confirm itself.
    const isFresh = isSettled || this.#doubtful.has(marketKey(market));
    const order = { timeframe, limit, abort, ...(isFresh && { until: openNow }) };
    const { candles, hours } = await this.#read(market, order);
    return { candles: candles.filter(({ time }) => time < openNow), hours };
  }

  /** Reads earlier ones too where a trade was made in a gap that they start with. */
  async #readEarlier(
    market: Market,
    newest: NewestCandles,
    { from, ...options }: ReadOptions & { from: number },
  ): Promise<void> {
    const isGap = newest.start <= from && from < (newest.candles[0]?.time ?? from);
    if (!isGap || newest.readFrom < newest.start || market.data === "replay") return;
    newest.readFrom = newest.start - EARLIER_CANDLES * TIMEFRAME_MS[market.timeframe];
    const { candles } = await this.#readNewest(market, options, newest.readFrom);
    newest.candles = candles;
  }

  /**
   * Certain candles from the one that contains `from`, oldest first.
   * @throws ProviderError
   */
  async known(
    market: Market,
    newest: NewestCandles,
    { from, ...options }: ReadOptions & { from: number },
  ): Promise<KnownCandles> {
    const lengthMs = TIMEFRAME_MS[market.timeframe];
    const blockMs = BLOCK_CANDLES * lengthMs;
    const first = openingTime(from, market.timeframe);
    await this.#readEarlier(market, newest, { from: first, ...options });
    const shownUntil = (newest.candles.at(-1)?.time ?? Number.NEGATIVE_INFINITY) + lengthMs;
    const past: Candle[] = [];
    for (let start = Math.floor(from / blockMs) * blockMs; start < newest.start; start += blockMs) {
      past.push(...(await this.#block(market, newest, { ...options, start })));
    }
    const all = joined(market, [...past, ...newest.candles], newest.hours);
    const candles = all.filter(({ time }) => time >= first);
    if (market.data === "replay") return { candles, isCut: false };
    const key = marketKey(market);
    const slots = { key, lengthMs, hours: newest.hours };
    const judgedFrom = lastTradedUntil(all, first);
    const span = { from: judgedFrom, until: shownUntil, now: judgedAt(options) };
    const doubtful = this.#gaps.firstDoubtful(all, slots, span);
    this.#noteDoubt(key, { doubtful, judgedFrom });
    return {
      candles: doubtful === null ? candles : candles.filter(({ time }) => time < doubtful),
      isCut: doubtful !== null,
    };
  }

  /** Another trade may have been made after the candle in doubt: what it finds says nothing about that. */
  #noteDoubt(key: string, judged: { doubtful: number | null; judgedFrom: number }): void {
    const { doubtful, judgedFrom } = judged;
    const earlier = this.#doubtful.get(key);
    if (earlier !== undefined && earlier < judgedFrom) return;
    if (doubtful === null) this.#doubtful.delete(key);
    else this.#doubtful.set(key, doubtful);
  }

  /**
   * The finest candles that add up to `candle`; null if there are none.
   * @throws ProviderError; `LateCandlesError` while some may still arrive
   */
  async parts(market: Market, order: PartsOrder): Promise<CandleParts | null> {
    const { candle, timeframe } = order;
    const key = `${marketKey(market)} ${timeframe} parts of ${candle.time}`;
    const kept = this.#kept.get(key);
    if (kept) return kept.parts;
    const parts = await this.#findParts(market, order);
    this.#kept.set(key, { parts });
    return parts;
  }

  /**
   * Certain closed minutes of a past time, as they make up the candles of the market.
   * @throws ProviderError
   */
  async minutes(
    market: Market,
    { from, until, now, abort }: ReadOptions & { from: number; until: number },
  ): Promise<Candle[]> {
    const order = { timeframe: "1m", until, abort } as const;
    const read = await this.#readFrom(market, from, { ...order, limit: MIN_CANDLES });
    const candles = read.candles.filter(({ time }) => time >= from);
    const lengthMs = TIMEFRAME_MS[order.timeframe];
    if (market.data === "replay") return candles;
    const slots = { key: `${marketKey(market)} minutes`, lengthMs, hours: read.hours };
    const shownUntil = (candles.at(-1)?.time ?? Number.NEGATIVE_INFINITY) + lengthMs;
    // A gap stands at the close of the last minute before it, which may itself be missing.
    const span = { from: lastTradedUntil(read.candles, from), until: shownUntil, now };
    const doubtful = this.#gaps.firstDoubtful(read.candles, slots, span);
    return candles.filter(({ time }) => time < (doubtful ?? Number.POSITIVE_INFINITY));
  }

  /**
   * The provider that gives candles in place of a silent one; null if none does.
   * @throws ProviderError
   */
  async substitute(
    { data, provider, symbol, timeframe }: Market,
    { now, abort }: ReadOptions,
  ): Promise<{ provider: string; shownUntil: number } | null> {
    const order = { symbol, timeframe, limit: MIN_CANDLES, abort };
    const series = await this.#sources[data]?.candles(order);
    if (!series || series.provider === provider) return null;
    const lengthMs = TIMEFRAME_MS[timeframe];
    const closed = series.candles.filter(({ time }) => time + lengthMs <= now);
    return { provider: series.provider, shownUntil: (closed.at(-1)?.time ?? 0) + lengthMs };
  }

  async #block(
    market: Market,
    newest: NewestCandles,
    { start, ...options }: ReadOptions & { start: number },
  ): Promise<Candle[]> {
    const { now, abort } = options;
    const { timeframe, data } = market;
    const key = `${marketKey(market)} from ${start}`;
    const known = newest.blocks.get(start) ?? this.#kept.get(key)?.parts?.candles;
    if (known) return known;
    const lengthMs = TIMEFRAME_MS[timeframe];
    const end = start + BLOCK_CANDLES * lengthMs;
    const openNow = openingTime(now, timeframe);
    const read = await this.#readPast(market, { start, end, openNow, abort });
    const isOver = [read, newest.candles].some((shown) => (shown.at(-1)?.time ?? 0) >= end);
    // Some earlier ones overlap with the block before, and the last one says what a gap at the start stands at.
    const lastBefore = read.findLast(({ time }) => time < start)?.time ?? start;
    const first = Math.min(lastBefore, start - MIN_CANDLES * lengthMs);
    const candles = read.filter(({ time }) => time >= first && time < end);
    newest.blocks.set(start, candles);
    const slots = { key: marketKey(market), lengthMs, hours: newest.hours };
    const span = { from: lastTradedUntil(candles, start), until: end, now: judgedAt(options) };
    const isWhole = isOver && this.#gaps.firstDoubtful(candles, slots, span) === null;
    if (isWhole || data === "replay") this.#kept.set(key, { parts: { timeframe, candles } });
    return candles;
  }

  /** Candles of a past range and some later ones. */
  async #readPast(
    market: Market,
    range: { start: number; end: number; openNow: number; abort: AbortSignal },
  ): Promise<Candle[]> {
    const { start, end, openNow, abort } = range;
    const { timeframe } = market;
    const lengthMs = TIMEFRAME_MS[timeframe];
    const read = async (until: number) => {
      const limit = Math.min((until - start) / lengthMs + MIN_CANDLES, MAX_SPAN_CANDLES);
      return (await this.#readFrom(market, start, { timeframe, limit, until, abort })).candles;
    };
    const until = Math.min(end + LATER_CANDLES * lengthMs, openNow);
    return read(until).catch((error: unknown) => {
      // A provider may not answer for a time without trades alone.
      if (until < openNow && isMissing(error)) return read(openNow);
      throw error;
    });
  }

  async #findParts(market: Market, order: PartsOrder): Promise<CandleParts | null> {
    let found: CandleParts | null = null;
    let certainty: Certainty = "final";
    for (const finer of finerTimeframes(order.timeframe)) {
      const parts = await this.#partsAt(market, order, finer);
      const isWorse = certainty === "final" || parts.certainty === "doubtful";
      if (!found && isWorse) certainty = parts.certainty;
      if (parts.candles) found ??= { timeframe: finer, candles: parts.candles };
      // Otherwise longer ones are looked at too: they are confirmed at the same time then.
      if (found && parts.certainty === "final") break;
    }
    if (certainty === "final") return found;
    throw new LateCandlesError(market, certainty === "late" ? { parts: found } : null);
  }

  /** The candles of a shorter timeframe that add up to a candle; null if the provider shows none. */
  async #partsAt(
    market: Market,
    order: PartsOrder,
    finer: Timeframe,
  ): Promise<{ candles: Candle[] | null; certainty: Certainty }> {
    const { candle, timeframe } = order;
    const end = candle.time + TIMEFRAME_MS[timeframe];
    const shown = await this.#readParts(market, order, finer);
    const candles = shown?.candles.filter(({ time }) => time >= candle.time && time < end) ?? [];
    const of = { candle, symbol: market.symbol };
    const fits = coversCandle(candles, of) || coversCandle(candles.filter(isTraded), of);
    const certainty =
      market.data === "replay" ? "final" : this.#certaintyOf(market, order, { finer, shown, fits });
    return { candles: fits ? candles : null, certainty };
  }

  /** Whether the provider has shown the end of the candle, and confirmed what it lacks. */
  #certaintyOf(
    market: Market,
    { candle, timeframe, now }: PartsOrder,
    { finer, shown, fits }: { finer: Timeframe; shown: ShownCandles | null; fits: boolean },
  ): Certainty {
    const end = candle.time + TIMEFRAME_MS[timeframe];
    const key = `${marketKey(market)} ${timeframe} by ${finer}`;
    const isSure = fits || this.#gaps.isConfirmed(`${key} of ${candle.time}`, now);
    if (!shown) return isSure ? "final" : "doubtful";
    const { candles, hours } = shown;
    const shownUntil = (candles.at(-1)?.time ?? 0) + TIMEFRAME_MS[finer];
    const isLate = shownUntil < end && now < end + MAX_PARTS_DELAY_MS;
    const slots = { key, lengthMs: TIMEFRAME_MS[finer], hours };
    const span = { from: candle.time, until: Math.min(end, shownUntil), now };
    const doubtful = this.#gaps.firstDoubtful(candles, slots, span);
    if (!isSure || doubtful !== null) return "doubtful";
    return isLate ? "late" : "final";
  }

  /** Shorter candles from a candle on; recent ones if the provider has none of that time, null if it has none at all. */
  async #readParts(
    market: Market,
    { candle, timeframe, now, abort }: PartsOrder,
    finer: Timeframe,
  ): Promise<ShownCandles | null> {
    const finerMs = TIMEFRAME_MS[finer];
    const end = candle.time + TIMEFRAME_MS[timeframe];
    const openNow = openingTime(now, finer);
    const until = Math.max(end, Math.min(end + LATER_CANDLES * finerMs, openNow));
    const order = { timeframe: finer, abort };
    const limit = Math.max((until - candle.time) / finerMs, MIN_CANDLES);
    const near = await this.#readIfAny(market, { ...order, limit, until });
    const isWhole = until === openNow || (near?.candles.at(-1)?.time ?? 0) + finerMs >= end;
    if (near && isWhole && (near.candles[0]?.time ?? end) <= candle.time) return near;
    // There may be trades long before or after it only.
    const latest = Number.isFinite(openNow) ? Math.max(openNow, end) : until;
    const length = (latest - candle.time) / finerMs + EARLIER_CANDLES;
    const span = { limit: Math.min(length, MAX_SPAN_CANDLES), until: latest };
    const far = (await this.#readIfAny(market, { ...order, ...span })) ?? near;
    const mayStillCome = now < end + MAX_PARTS_DELAY_MS;
    return far ?? this.#readRecent(market, order, mayStillCome);
  }

  /** The newest candles; null if the provider has none of the timeframe, and none can come. */
  async #readRecent(
    market: Market,
    order: Omit<ReadOrder, "limit">,
    mayStillCome: boolean,
  ): Promise<ShownCandles | null> {
    try {
      return await this.#read(market, { ...order, limit: MIN_CANDLES });
    } catch (error) {
      if (!isMissing(error) || (mayStillCome && !isUnlisted(error))) throw error;
      return null;
    }
  }

  async #readIfAny(market: Market, order: ReadOrder): Promise<ShownCandles | null> {
    return this.#read(market, order).catch((error: unknown) => {
      if (isMissing(error)) return null;
      throw error;
    });
  }

  /** Candles from `from` on, also if nothing was traded then for long. */
  async #readFrom(market: Market, from: number, order: ReadOrder): Promise<ShownCandles> {
    const read = await this.#read(market, order);
    const startsAt = read.candles[0]?.time ?? from;
    if (startsAt <= from || market.data === "replay") return read;
    const limit = Math.min(order.limit + EARLIER_CANDLES, MAX_SPAN_CANDLES);
    return this.#read(market, { ...order, limit });
  }

  async #read({ data, provider, symbol }: Market, order: ReadOrder): Promise<ShownCandles> {
    const source = this.#sources[data];
    if (!source) {
      const message = `there are no ${data} candles in this setup`;
      throw new ProviderError({ provider, failure: "unreachable", message });
    }
    const only = data === "live" ? provider : undefined;
    const { candles, market } = await source.candles({ ...order, symbol, prefer: provider, only });
    const hours = market?.hours ?? findInstrument(symbol)?.hours ?? "always";
    return { candles, hours };
  }
}

const finerTimeframes = (timeframe: Timeframe): Timeframe[] =>
  TIMEFRAMES.filter((finer) => {
    const parts = TIMEFRAME_MS[timeframe] / TIMEFRAME_MS[finer];
    return parts > 1 && parts <= MAX_PARTS && Number.isInteger(parts);
  });

const judgedAt = ({ now, isSettled }: ReadOptions): number =>
  isSettled ? Number.POSITIVE_INFINITY : now;

/** Each once, oldest first. A market that never closes has flat candles where nothing was traded. */
function joined(market: Market, candles: readonly Candle[], hours: TradingHours): Candle[] {
  const byTime = new Map(candles.map((candle) => [candle.time, candle]));
  const ordered = [...byTime.values()].toSorted((a, b) => a.time - b.time);
  const isFilled = market.data === "live" && hours === "always";
  return isFilled ? withFlatCandles(ordered, TIMEFRAME_MS[market.timeframe]) : ordered;
}

/** The candle that says what a gap at `start` stands at, as one after it may still come; `start` if there is no gap. */
const lastTradedUntil = (candles: readonly Candle[], start: number): number =>
  candles.findLast((candle) => candle.time <= start && isTraded(candle))?.time ?? start;

const isMissing = (error: unknown): boolean =>
  isUnlisted(error) ||
  (error instanceof ProviderError && (error.failure === "nonsense" || error.failure === "refused"));

const isUnlisted = (error: unknown): boolean =>
  error instanceof ProviderError && error.failure === "unknown-symbol";

/** Candles that will come, or may. */
export class LateCandlesError extends ProviderError {
  /** The candles so far, which are all if the provider shows no more; null while one of them is in doubt. */
  readonly shown: { parts: CandleParts | null } | null;

  constructor({ provider, symbol }: Market, shown: LateCandlesError["shown"]) {
    const message = `the shorter candles of ${symbol} are not all there yet`;
    super({ provider, failure: "nonsense", message });
    this.shown = shown;
  }
}

/** Candles for resolving recorded outcomes again; null where no provider has them. */
export function archiveSource(archive: CandleArchive, abort: AbortSignal): CandleSource {
  return {
    candles: (figures, { from, until }) =>
      nullIfMissing(
        archive.since(marketOf(figures), { from, now: until, abort, isSettled: true }),
        abort,
      ),
    parts(figures, candle, timeframe) {
      const order = { candle, timeframe, now: Number.POSITIVE_INFINITY, abort };
      return nullIfMissing(archive.parts(marketOf(figures), order), abort);
    },
  };
}

function marketOf({ data, provider, symbol, timeframe }: LedgerFigures): Market {
  return { data: data === "none" ? "live" : data, provider, symbol, timeframe };
}

async function nullIfMissing<Found>(
  found: Promise<Found>,
  abort: AbortSignal,
): Promise<Found | null> {
  try {
    return await found;
  } catch (error) {
    abort.throwIfAborted();
    if (error instanceof ProviderError) return null;
    throw error;
  }
}
