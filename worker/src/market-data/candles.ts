import { TIMEFRAMES } from "@shared/contract/constants.ts";
import type { TradingHours } from "@shared/contract/instruments.ts";
import {
  type Candle,
  candleSchema,
  TIMEFRAME_MS,
  type Timeframe,
} from "@shared/contract/market-data.ts";
import { isOpen, lastClose } from "@shared/domain/trading-hours.ts";
import { flatAt } from "@shared/outcomes/flat-candles.ts";
import { mergeCandles } from "trading-signals";
import { z } from "zod";

/** A row as a provider shows it; without a candle where it has no usable prices. `time` is in Unix milliseconds. */
export interface CandleRow {
  time: number;
  candle: Candle | null;
}

/** The message says why a series cannot be used. */
export class UnusableCandlesError extends Error {
  override readonly name = "UnusableCandlesError";
}

const timeSchema = candleSchema.shape.time;

/** One row; none without a time. A missing volume counts as none. */
export function toRow(fields: Record<keyof Candle, unknown>): CandleRow[] {
  const candle = candleSchema.safeParse({ ...fields, volume: fields.volume ?? 0 }).data;
  if (candle) return [{ time: candle.time, candle }];
  const time = timeSchema.safeParse(fields.time).data;
  return time === undefined ? [] : [{ time, candle: null }];
}

const tuplesSchema = z.array(z.array(z.unknown()).catch([]));

/**
 * Rows of time, open, high, low, close and volume.
 * @throws UnusableCandlesError
 */
export function readRows(rows: unknown): CandleRow[] {
  const parsed = tuplesSchema.safeParse(rows);
  if (!parsed.success) throw new UnusableCandlesError("the answer holds no candles");
  return parsed.data.flatMap(([time, open, high, low, close, volume]) =>
    toRow({ time, open, high, low, close, volume }),
  );
}

/**
 * The rows up to `now`, oldest first. Of usable ones with the same time the later counts; a row off the grid is not
 * usable.
 * @throws UnusableCandlesError without any usable row
 */
export function orderRows(
  rows: readonly CandleRow[],
  timeframe: Timeframe,
  now: number,
): CandleRow[] {
  const byTime = new Map<number, CandleRow>();
  for (const { time, candle } of rows.filter((row) => row.time <= now)) {
    const usable = openingTime(time, timeframe) === time ? candle : null;
    if (usable || !byTime.has(time)) byTime.set(time, { time, candle: usable });
  }
  const ordered = [...byTime.values()].toSorted((one, other) => one.time - other.time);
  if (ordered.some(({ candle }) => candle)) return ordered;
  throw new UnusableCandlesError(`no row is a usable candle of ${timeframe}`);
}

interface ClosedOptions {
  timeframe: Timeframe;
  count: number;
  closedUntil: number;
  hours?: TradingHours;
}

/**
 * Candles closed at `closedUntil`, at most `count`, oldest first. Time without a candle is time without trades: flat
 * candles without volume stand for it, up to the newest row that the provider shows, but never for closed hours.
 */
export function closedCandles(rows: readonly CandleRow[], options: ClosedOptions): Candle[] {
  const { timeframe, count, closedUntil } = options;
  const openNow = openingTime(closedUntil, timeframe);
  const shownUntil = openingTime(rows.at(-1)?.time ?? 0, timeframe);
  const closed = rows.flatMap(({ candle }) => (candle && candle.time < openNow ? [candle] : []));
  const candles: Candle[] = [];
  for (const candle of closed) {
    candles.push(...flatBetween(candles.at(-1), candle.time, options), candle);
  }
  candles.push(...flatBetween(candles.at(-1), Math.min(shownUntil, openNow), options));
  return candles.slice(-count);
}

/** Flat candles from `previous` to `until`, at most `count`; none if the market closes in between. */
function flatBetween(
  previous: Candle | undefined,
  until: number,
  { timeframe, count, hours = "always" }: ClosedOptions,
): Candle[] {
  if (!previous) return [];
  const lengthMs = TIMEFRAME_MS[timeframe];
  const from = Math.max(previous.time + lengthMs, until - count * lengthMs);
  if (from >= until || !isOpen(hours, from)) return [];
  if ((lastClose(hours, until - 1) ?? 0) > previous.time) return [];
  return Array.from({ length: Math.ceil((until - from) / lengthMs) }, (_, index) =>
    flatAt(from + index * lengthMs, previous.close),
  );
}

/** Builds longer candles from gapless shorter ones, oldest first; incomplete ones are left out. */
export function resample(
  candles: readonly Candle[],
  { from, to }: { from: Timeframe; to: Timeframe },
): Candle[] {
  const lengthMs = TIMEFRAME_MS[to];
  const partsPerCandle = lengthMs / TIMEFRAME_MS[from];
  return [...groupByStart(candles, { lengthMs })]
    .filter(([, parts]) => parts.length === partsPerCandle)
    .map(mergeParts);
}

/**
 * Builds longer candles on the grid `offsetMs + k × lengthMs` from shorter ones that may lack closed hours. The first is
 * left out if it may have started earlier, the last until it is closed at `closedUntil`.
 */
export function resampleTraded(
  candles: readonly Candle[],
  grid: { lengthMs: number; offsetMs?: number; closedUntil: number },
): Candle[] {
  const startedAt = candles[0]?.time ?? 0;
  return [...groupByStart(candles, grid)]
    .filter(([time]) => time >= startedAt && time + grid.lengthMs <= grid.closedUntil)
    .map(mergeParts);
}

/** The candle after the closed ones, merged from the usable rows of it. */
export function openCandle(
  rows: readonly CandleRow[],
  { closed, timeframe }: { closed: readonly Candle[]; timeframe: Timeframe },
): Candle | undefined {
  const lengthMs = TIMEFRAME_MS[timeframe];
  const startsAt = (closed.at(-1)?.time ?? Number.POSITIVE_INFINITY) + lengthMs;
  const newer = rows.flatMap(({ candle }) => (candle && candle.time >= startsAt ? [candle] : []));
  const [next] = groupByStart(newer, { lengthMs });
  return next && mergeParts(next);
}

function groupByStart(
  candles: readonly Candle[],
  { lengthMs, offsetMs = 0 }: { lengthMs: number; offsetMs?: number },
): Map<number, Candle[]> {
  const groups = new Map<number, Candle[]>();
  for (const candle of candles) {
    const start = Math.floor((candle.time - offsetMs) / lengthMs) * lengthMs + offsetMs;
    const group = groups.get(start);
    if (group) group.push(candle);
    else groups.set(start, [candle]);
  }
  return groups;
}

/** One candle of its parts, oldest first. */
export function mergeParts([time, parts]: [number, Candle[]]): Candle {
  const { open, high, low, close, volume } = mergeCandles(parts);
  return { time, open, high, low, close, volume };
}

/** The timeframe to fetch: the requested one, or the longest shorter one that it can be built from. */
export function sourceTimeframe(
  requested: Timeframe,
  available: readonly string[],
): Timeframe | undefined {
  return TIMEFRAMES.findLast(
    (candidate) =>
      available.includes(candidate) && TIMEFRAME_MS[requested] % TIMEFRAME_MS[candidate] === 0,
  );
}

/** Opening time of the candle that contains `time`. */
export function openingTime(time: number, timeframe: Timeframe): number {
  const lengthMs = TIMEFRAME_MS[timeframe];
  return Math.floor(time / lengthMs) * lengthMs;
}

/** Opening time of the oldest of the last `count` candles that are closed at `now`. */
export function firstOpeningTime(
  timeframe: Timeframe,
  { count, now }: { count: number; now: number },
): number {
  return openingTime(now, timeframe) - count * TIMEFRAME_MS[timeframe];
}
