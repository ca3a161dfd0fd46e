import { TIMEFRAMES } from "@shared/contract/constants.ts";
import type { LedgerFigures } from "@shared/contract/ledger.ts";
import type { MarketDataSource } from "@shared/contract/market-data.ts";
import { type Candle, TIMEFRAME_MS, type Timeframe } from "@shared/contract/market-data.ts";
import { marketKey } from "@shared/database/models/market-analysis.ts";
import type { CandleSource } from "@shared/outcomes/resolve-again.ts";
import { coversCandle } from "@shared/outcomes/resolve-trade.ts";
import type { CandleParts } from "@shared/outcomes/simulate-trade.ts";
import { LRUCache } from "lru-cache";
import type { CandleRequest, MarketData } from "../market-data/market-data.ts";
import { ProviderError } from "../market-data/market-data.ts";

export interface Market {
  data: MarketDataSource;
  /** Preferred provider; another one of the same kind is used if it has no data. */
  provider: string;
  symbol: string;
  timeframe: Timeframe;
}

export interface ReadOptions {
  now: number;
  abort: AbortSignal;
}

type PartsOrder = ReadOptions & { candle: Candle; timeframe: Timeframe };

/** Blocks have fixed borders, so that signals share them. */
const BLOCK_CANDLES = 300;
const MAX_PARTS = 300;
/** Smaller requests cost the same, and a late newest candle does not matter in longer ones. */
const MIN_CANDLES = 30;
/** The parts of a candle may arrive this long after its close; later they are missing for good. */
const PARTS_GRACE_MS = 60_000;
/** A block that is incomplete this long after its end stays so: the market was closed. */
const BLOCK_GRACE_CANDLES = 6;
/** About 30 MB. */
const MAX_CACHED_CANDLES = 200_000;

/**
 * Reads and caches the candles that resolve signals: live ones for live signals, replayed ones for replayed signals.
 */
export class CandleArchive {
  readonly #sources: Readonly<Record<MarketDataSource, MarketData | undefined>>;
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
    const lengthMs = TIMEFRAME_MS[market.timeframe];
    const blockMs = BLOCK_CANDLES * lengthMs;
    const openNow = Math.floor(options.now / lengthMs) * lengthMs;
    const candles: Candle[] = [];
    for (let start = Math.floor(from / blockMs) * blockMs; start < openNow; start += blockMs) {
      const end = Math.min(start + blockMs, openNow);
      candles.push(
        ...(await this.#block(market, { ...options, start, end, isPast: end < openNow })),
      );
    }
    return candles.filter((candle) => candle.time + lengthMs > from);
  }

  /**
   * The finest candles that add up to `candle`; null if there are none.
   * @throws ProviderError while they may still arrive
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
   * Closed minutes of a past time, as they make up the candles of the market.
   * @throws ProviderError
   */
  async minutes(
    market: Market,
    { from, until, abort }: { from: number; until: number; abort: AbortSignal },
  ): Promise<Candle[]> {
    const order = { timeframe: "1m", limit: MIN_CANDLES, until, abort } as const;
    const candles = await this.#read(market, { ...order, within: market.timeframe });
    return candles.filter(({ time }) => time >= from);
  }

  async #block(
    market: Market,
    block: ReadOptions & { start: number; end: number; isPast: boolean },
  ): Promise<Candle[]> {
    const { timeframe } = market;
    const { start, end, isPast, now, abort } = block;
    const key = `${marketKey(market)} from ${start}`;
    const kept = isPast ? this.#kept.get(key)?.parts : undefined;
    if (kept) return kept.candles;
    const lengthMs = TIMEFRAME_MS[timeframe];
    const limit = Math.max((end - start) / lengthMs, MIN_CANDLES);
    const order = { timeframe, limit, abort, ...(isPast && { until: end }) };
    const read = await this.#read(market, order);
    const candles = read.filter(({ time }) => time >= start && time < end);
    const isWhole = candles.at(-1)?.time === end - lengthMs;
    if (isPast && (isWhole || now > end + BLOCK_GRACE_CANDLES * lengthMs)) {
      this.#kept.set(key, { parts: { timeframe, candles } });
    }
    return candles;
  }

  async #findParts(market: Market, order: PartsOrder): Promise<CandleParts | null> {
    const { candle, timeframe, now, abort } = order;
    const lengthMs = TIMEFRAME_MS[timeframe];
    const until = candle.time + lengthMs;
    const mayStillCome = now < until + PARTS_GRACE_MS;
    for (const finer of finerTimeframes(timeframe)) {
      const limit = lengthMs / TIMEFRAME_MS[finer];
      const asked = { timeframe: finer, limit, until, within: market.timeframe, abort };
      const read = await this.#read(market, asked).catch((error: unknown) => {
        if (mayStillCome || !isMissing(error)) throw error;
        return [];
      });
      const candles = read.filter(({ time }) => time >= candle.time && time < until);
      if (coversCandle(candles, { candle, symbol: market.symbol }))
        return { timeframe: finer, candles };
      if (mayStillCome && finer === finerTimeframes(timeframe)[0]) throw incomplete(market, finer);
    }
    return null;
  }

  async #read(
    { data, provider, symbol }: Market,
    order: Omit<CandleRequest, "symbol" | "prefer">,
  ): Promise<Candle[]> {
    const source = this.#sources[data];
    if (!source) {
      const message = `there are no ${data} candles in this setup`;
      throw new ProviderError({ provider, failure: "unreachable", message });
    }
    const series = await source.candles({ ...order, symbol, prefer: provider });
    return series.candles;
  }
}

const finerTimeframes = (timeframe: Timeframe): Timeframe[] =>
  TIMEFRAMES.filter((finer) => {
    const parts = TIMEFRAME_MS[timeframe] / TIMEFRAME_MS[finer];
    return parts > 1 && parts <= MAX_PARTS && Number.isInteger(parts);
  });

const isMissing = (error: unknown): boolean =>
  error instanceof ProviderError &&
  (error.failure === "nonsense" || error.failure === "unknown-symbol");

function incomplete({ provider, symbol }: Market, timeframe: Timeframe): ProviderError {
  const message = `the ${timeframe} candles of ${symbol} are not all there yet`;
  return new ProviderError({ provider, failure: "nonsense", message });
}

/** Candles for resolving recorded outcomes again; null where no provider has them. */
export function archiveSource(archive: CandleArchive, abort: AbortSignal): CandleSource {
  return {
    candles: (figures, { from, until }) =>
      nullIfMissing(archive.since(marketOf(figures), { from, now: until, abort }), abort),
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
