import { readFileSync } from "node:fs";
import { SYMBOL_SUGGESTIONS, TIMEFRAMES } from "@shared/contract/constants.ts";
import { type Candle, TIMEFRAME_MS, type Timeframe } from "@shared/contract/market-data.ts";
import { parseCandleCsv } from "@shared/outcomes/resolve-again.ts";
import { resample } from "../market-data/candles.ts";
import type { CandleRequest, CandleSeries, MarketData } from "../market-data/market-data.ts";
import { ProviderError } from "../market-data/market-data.ts";
import { Recordings } from "../market-data/replay/replay-market-data.ts";

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

export class CandleFileError extends Error {
  override readonly name = "CandleFileError";
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

export function libraryWith(
  own: { symbol: string; timeframe: Timeframe; series: CandleSeries },
  others: FindSeries,
): FindSeries {
  return (symbol, timeframe) =>
    symbol === own.symbol && timeframe === own.timeframe ? own.series : others(symbol, timeframe);
}

/**
 * Reads a CSV file with the columns `time,open,high,low,close,volume`, times in Unix milliseconds.
 * @throws CandleFileError if it cannot be read, or is not a series of this timeframe
 */
export function readCandleFile(file: string, timeframe: Timeframe): CandleSeries {
  const candles = parseFile(file);
  const lengthMs = TIMEFRAME_MS[timeframe];
  candles.forEach(({ time }, index) => {
    const before = candles[index - 1];
    const name = `${file}: candle ${index + 1}`;
    if (time % lengthMs !== 0) {
      throw new CandleFileError(`${name} does not open on the grid of ${timeframe}.`);
    }
    if (before && time <= before.time) {
      throw new CandleFileError(`${name} is not later than the one before it.`);
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
    throw new CandleFileError(`${file} ${reason}.`, { cause: error });
  }
}

export function recordedTimeframes(symbol: string, find: FindSeries): Timeframe[] {
  return TIMEFRAMES.filter((timeframe) => find(symbol, timeframe) !== undefined);
}

export function recordedSymbols(find: FindSeries): string[] {
  return SYMBOL_SUGGESTIONS.filter((symbol) => recordedTimeframes(symbol, find).length > 0);
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
    ...{ symbol, timeframe, abort },
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
