import { readFileSync } from "node:fs";
import { type Candle, TIMEFRAME_MS, type Timeframe } from "@shared/contract/candle.ts";
import { SYMBOL_SUGGESTIONS, TIMEFRAMES } from "@shared/contract/constants.ts";
import { parseCandleCsv } from "@shared/outcomes/candle-files.ts";
import { resample } from "../providers/candles/resample.ts";
import type { CandleSeries } from "../providers/market-data.ts";
import { Recordings } from "../providers/replay/recordings.ts";
import type { FindSeries } from "./recorded-market.ts";

const RECORDINGS = new URL("../providers/replay/data/", import.meta.url);

/** A file of candles that cannot be used; the message is one sentence. */
export class CandleFileError extends Error {
  override readonly name = "CandleFileError";
}

/** The product's own recordings; a timeframe without one is joined from the longest shorter one. */
export function recordedLibrary(recordings = new Recordings(RECORDINGS)): FindSeries {
  const found = new Map<string, CandleSeries | undefined>();
  return (symbol, timeframe) => {
    const key = `${symbol} ${timeframe}`;
    if (!found.has(key)) found.set(key, findRecorded(recordings, { symbol, timeframe }));
    return found.get(key);
  };
}

/** `own` candles of one market, and the product's recordings of all others. */
export function libraryWith(
  own: { symbol: string; timeframe: Timeframe; series: CandleSeries },
  others: FindSeries,
): FindSeries {
  return (symbol, timeframe) =>
    symbol === own.symbol && timeframe === own.timeframe ? own.series : others(symbol, timeframe);
}

/**
 * Candles of a CSV file with a line of column names, `time,open,high,low,close,volume`, and times in Unix ms.
 * @throws CandleFileError if it cannot be read, or is no series of candles of this timeframe
 */
export function readCandleFile(file: string, timeframe: Timeframe): CandleSeries {
  const candles = parseFile(file);
  const lengthMs = TIMEFRAME_MS[timeframe];
  candles.forEach(({ time }, index) => {
    const before = candles[index - 1];
    if (time % lengthMs !== 0) {
      throw new CandleFileError(
        `${file}: candle ${index + 1} does not open on the grid of ${timeframe}.`,
      );
    }
    if (before && time <= before.time) {
      throw new CandleFileError(
        `${file}: candle ${index + 1} is not later than the one before it.`,
      );
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

/** Timeframes that there are recordings of, for a symbol. */
export function recordedTimeframes(symbol: string, find: FindSeries): Timeframe[] {
  return TIMEFRAMES.filter((timeframe) => find(symbol, timeframe) !== undefined);
}

/** Of the product's own symbols, those that there are recordings of. */
export function recordedSymbols(find: FindSeries): string[] {
  return SYMBOL_SUGGESTIONS.filter((symbol) => recordedTimeframes(symbol, find).length > 0);
}

/** Recorded data counts as replayed: its market is never closed, and never late. */
const seriesOf = (candles: Candle[], provider: string): CandleSeries => ({
  candles,
  provider,
  data: "replay",
  notes: [],
});

function findRecorded(
  recordings: Recordings,
  { symbol, timeframe }: { symbol: string; timeframe: Timeframe },
): CandleSeries | undefined {
  const from = recordedFrom(recordings, { symbol, timeframe });
  const recorded = from && recordings.find(symbol, from);
  if (!recorded) return undefined;
  const candles = from === timeframe ? recorded : resample(recorded, { from, to: timeframe });
  return seriesOf(candles, "recording");
}

function recordedFrom(
  recordings: Recordings,
  { symbol, timeframe }: { symbol: string; timeframe: Timeframe },
): Timeframe | undefined {
  return TIMEFRAMES.findLast(
    (shorter) =>
      TIMEFRAME_MS[shorter] <= TIMEFRAME_MS[timeframe] &&
      TIMEFRAME_MS[timeframe] % TIMEFRAME_MS[shorter] === 0 &&
      recordings.has(symbol, shorter),
  );
}
