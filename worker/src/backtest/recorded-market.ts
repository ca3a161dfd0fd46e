import { readFileSync } from "node:fs";
import { TIMEFRAMES } from "@shared/contract/constants.ts";
import { PRODUCT_SYMBOLS } from "@shared/contract/instruments.ts";
import { type Candle, TIMEFRAME_MS, type Timeframe } from "@shared/contract/market-data.ts";
import { parseCandleCsv } from "@shared/outcomes/resolve-again.ts";
import { createLogger } from "@shared/runtime/logger.ts";
import type { WorkerSettings } from "@shared/runtime/settings.ts";
import { resample } from "../market-data/candles.ts";
import type { CandleRequest, CandleSeries, MarketData } from "../market-data/market-data.ts";
import { ProviderError } from "../market-data/market-data.ts";
import { Recordings } from "../market-data/replay/replay-market-data.ts";
import { createMarketData } from "../market-data/select-market-data.ts";
import { type BacktestRange, selectRange } from "./simulate.ts";

type FindSeries = (symbol: string, timeframe: Timeframe) => CandleSeries | undefined;

/** Serves recorded candles as market data. A series ends with the recording, or at `until`. */
export function recordedMarket(find: FindSeries): MarketData {
  return {
    async candles({ symbol, timeframe, limit, until = Number.POSITIVE_INFINITY }) {
      const series = find(symbol, timeframe);
      if (!series) throw missing("unknown-symbol", `no candles of ${symbol} at ${timeframe}`);
      const latestOpen = until - TIMEFRAME_MS[timeframe];
      const end = series.candles.findLastIndex(({ time }) => time <= latestOpen) + 1;
      if (end === 0) throw missing("nonsense", `no candles of ${symbol} that early`);
      return { ...series, candles: series.candles.slice(Math.max(0, end - limit), end) };
    },
  };
}

/** Hides everything that closed after `at` (Unix milliseconds). */
export function marketAsOf(market: MarketData, at: () => number): MarketData {
  return {
    candles: ({ until = Number.POSITIVE_INFINITY, ...request }) =>
      market.candles({ ...request, until: Math.min(until, at()) }),
  };
}

const missing = (failure: "unknown-symbol" | "nonsense", message: string) =>
  new ProviderError({ provider: "recording", failure, message });

/** There are no candles to walk; the message says why. */
export class CandlesError extends Error {
  override readonly name = "CandlesError";
}

interface CandleOrder {
  symbol: string;
  timeframe: Timeframe;
  from: "recorded" | "provider";
  /** A file to walk instead of a recording. */
  csv?: string | undefined;
  bars: number;
  "warm-up": number;
}

interface Source {
  series: CandleSeries;
  market: MarketData;
  /** Has candles of shorter timeframes. */
  finerMarket: MarketData;
}

interface FetchOptions {
  settings: WorkerSettings;
  abort: AbortSignal;
  /** Gets the number of candles that are there. */
  onFetched: (count: number) => void;
}

/**
 * The candles to walk: recorded, of a file, or of the live providers.
 * @throws CandlesError or ProviderError
 */
export async function openCandles(
  order: CandleOrder,
  options: FetchOptions,
): Promise<Omit<Source, "series"> & { course: BacktestRange }> {
  const source = order.from === "provider" ? await fetchLive(order, options) : openRecorded(order);
  const { symbol, timeframe, bars, "warm-up": warmUp } = order;
  const course = selectRange({ symbol, timeframe, series: source.series, bars, warmUp });
  if (course) return { ...source, course };
  throw new CandlesError(
    `There are ${source.series.candles.length} candles of ${symbol} at ${timeframe}: too few for ${warmUp} to warm up and any to decide on. ` +
      "Try a smaller --warm-up (at least 30).",
  );
}

function openRecorded({ symbol, timeframe, csv }: CandleOrder): Source {
  const recordings = recordedLibrary();
  const series = csv ? readCandleFile(csv, timeframe) : recordings(symbol, timeframe);
  if (!series) throw new CandlesError(notRecorded(symbol, timeframe));
  const market = recordedMarket((asked, at) =>
    asked === symbol && at === timeframe ? series : recordings(asked, at),
  );
  return { series, market, finerMarket: market };
}

function notRecorded(symbol: string, timeframe: string): string {
  const recordings = recordedLibrary();
  const timeframes = recordedTimeframes(symbol, recordings);
  return timeframes.length > 0
    ? `There are no recorded candles of ${symbol} at ${timeframe}, only at ${timeframes.join(", ")}.`
    : `There are no recorded candles of ${symbol}. Recorded are ${recordedSymbols(recordings).join(", ")}; or use --csv, or --from provider.`;
}

async function fetchLive(
  { symbol, timeframe, bars, "warm-up": warmUp }: CandleOrder,
  { settings, abort, onFetched }: FetchOptions,
): Promise<Source> {
  const logger = createLogger({ service: "backtest", level: "silent" });
  const live = { ...settings, MARKET_DATA: "live" as const };
  const { marketData } = await createMarketData({ settings: live, now: Date.now, logger });
  const series = await fetchHistory({
    market: marketData,
    symbol,
    timeframe,
    abort,
    count: bars + warmUp,
    onCandles: onFetched,
  });
  const market = recordedMarket((asked, at) =>
    asked === symbol && at === timeframe ? series : undefined,
  );
  return { series, market, finerMarket: marketData };
}

/** The recordings of the product. Missing timeframes are built from the longest shorter one. */
export function recordedLibrary(): FindSeries {
  const recordings = new Recordings();
  const found = new Map<string, CandleSeries>();
  return (symbol, timeframe) => {
    const key = `${symbol} ${timeframe}`;
    const from = recordings.sourceOf(symbol, timeframe);
    const recorded = from && recordings.find(symbol, from);
    if (!recorded || found.has(key)) return found.get(key);
    const candles = from === timeframe ? recorded : resample(recorded, { from, to: timeframe });
    found.set(key, seriesOf(candles, "recording"));
    return found.get(key);
  };
}

/**
 * Reads a CSV file with the columns `time,open,high,low,close,volume`, times in Unix milliseconds.
 * @throws CandlesError if it cannot be read, or is not a series of this timeframe
 */
export function readCandleFile(file: string, timeframe: Timeframe): CandleSeries {
  const candles = parseFile(file);
  const lengthMs = TIMEFRAME_MS[timeframe];
  candles.forEach(({ time }, index) => {
    const before = candles[index - 1];
    const name = `${file}: candle ${index + 1}`;
    if (time % lengthMs !== 0) {
      throw new CandlesError(`${name} does not open on the grid of ${timeframe}.`);
    }
    if (before && time <= before.time) {
      throw new CandlesError(`${name} is not later than the one before it.`);
    }
  });
  return seriesOf(candles, "file");
}

function parseFile(file: string): Candle[] {
  try {
    return parseCandleCsv(readFileSync(file, "utf8"));
  } catch (error) {
    const reason =
      error instanceof Error && "code" in error
        ? "cannot be read"
        : "does not hold candles as time,open,high,low,close,volume";
    throw new CandlesError(`${file} ${reason}.`, { cause: error });
  }
}

function recordedTimeframes(symbol: string, find: FindSeries): Timeframe[] {
  return TIMEFRAMES.filter((timeframe) => find(symbol, timeframe) !== undefined);
}

export function recordedSymbols(find: FindSeries): string[] {
  return PRODUCT_SYMBOLS.filter((symbol) => recordedTimeframes(symbol, find).length > 0);
}

const seriesOf = (candles: Candle[], provider: string): CandleSeries => ({
  candles,
  provider,
  data: "replay",
  notes: [],
});

const PAGE_CANDLES = 500;

const MIN_CANDLES = 30;

/**
 * Fetches the last `count` closed candles page by page from the provider that has the newest; fewer if its history is
 * shorter.
 * @throws ProviderError
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
  const pageOf = (left: number) => ({
    symbol,
    timeframe,
    abort,
    limit: Math.min(PAGE_CANDLES, Math.max(left, MIN_CANDLES)),
  });
  const newest = await market.candles(pageOf(count));
  let candles: Candle[] = newest.candles;
  onCandles?.(candles.length);
  while (candles.length < count) {
    const page = { ...pageOf(count - candles.length), until: candles[0]?.time ?? 0 };
    const earlier = await fetchEarlier(market, { ...page, prefer: newest.provider });
    if (earlier.length === 0) break;
    candles = [...earlier, ...candles];
    onCandles?.(candles.length);
  }
  return { ...newest, candles: candles.slice(-count) };
}

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
