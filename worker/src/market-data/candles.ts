import { TIMEFRAMES } from "@shared/contract/constants.ts";
import {
  type Candle,
  candleSchema,
  TIMEFRAME_MS,
  type Timeframe,
} from "@shared/contract/market-data.ts";
import { mergeCandles } from "trading-signals";
import { z } from "zod";

const MIN_CANDLES = 30;
const MAX_GAP_SHARE = 0.1;

const rowsSchema = z.array(
  z
    .tuple([z.number(), z.number(), z.number(), z.number(), z.number(), z.number().optional()])
    .rest(z.unknown())
    .transform(([time, open, high, low, close, volume = 0]) => ({
      time,
      open,
      high,
      low,
      close,
      volume,
    }))
    .pipe(candleSchema),
);

/** The message says why a series cannot be used. */
export class UnusableCandlesError extends Error {
  override readonly name = "UnusableCandlesError";
}

/**
 * Closed candles up to `now` of a market that never closes, at most `count`, oldest first. Missing candles become flat
 * ones without volume.
 * @throws UnusableCandlesError
 */
export function closedCandles(
  rows: unknown,
  options: { timeframe: Timeframe; count: number; now: number },
): Candle[] {
  const { timeframe, count, now } = options;
  const openNow = openingTime(now, timeframe);
  const closed = distinct(readRows(rows), timeframe).filter(({ time }) => time < openNow);
  const candles = fillGaps(closed, timeframe).slice(-count);
  if (candles.length < Math.min(count, MIN_CANDLES)) {
    throw new UnusableCandlesError(`only ${candles.length} of ${count} candles came`);
  }
  return candles;
}

/** @throws UnusableCandlesError */
export function readRows(rows: unknown): Candle[] {
  const parsed = rowsSchema.safeParse(rows);
  if (!parsed.success) throw new UnusableCandlesError("the answer holds no valid candles");
  return parsed.data;
}

function distinct(candles: Candle[], timeframe: Timeframe): Candle[] {
  return candles.filter((candle, index) => {
    const previous = candles[index - 1];
    if (candle.time % TIMEFRAME_MS[timeframe] !== 0) {
      throw new UnusableCandlesError(`a candle does not start on the grid of ${timeframe}`);
    }
    if (previous && candle.time < previous.time) {
      throw new UnusableCandlesError("the candles are not in order");
    }
    return candle.time !== previous?.time;
  });
}

function fillGaps(candles: Candle[], timeframe: Timeframe): Candle[] {
  const filled: Candle[] = [];
  const first = candles[0];
  const last = candles.at(-1);
  if (!first || !last) return filled;
  const expected = (last.time - first.time) / TIMEFRAME_MS[timeframe] + 1;
  if (expected - candles.length > expected * MAX_GAP_SHARE) {
    throw new UnusableCandlesError("too many candles are missing");
  }
  for (const candle of candles) {
    let previous = filled.at(-1);
    while (previous && previous.time + TIMEFRAME_MS[timeframe] < candle.time) {
      previous = flatAfter(previous, timeframe);
      filled.push(previous);
    }
    filled.push(candle);
  }
  return filled;
}

function flatAfter({ time, close }: Candle, timeframe: Timeframe): Candle {
  return {
    time: time + TIMEFRAME_MS[timeframe],
    open: close,
    high: close,
    low: close,
    close,
    volume: 0,
  };
}

const MAX_STRAY_SHARE = 0.1;

/**
 * Candles closed at `closedUntil` of a market with trading hours, at most `count`, oldest first. Of two with the same
 * time the later counts.
 * @throws UnusableCandlesError
 */
export function tradedCandles(
  rows: readonly Candle[],
  options: { timeframe: Timeframe; count: number; closedUntil: number },
): Candle[] {
  const { timeframe, count, closedUntil } = options;
  const onGrid = rows.filter(({ time }) => openingTime(time, timeframe) === time);
  if (rows.length - onGrid.length > rows.length * MAX_STRAY_SHARE) {
    throw new UnusableCandlesError(`the candles are not on the grid of ${timeframe}`);
  }
  if (onGrid.some(({ time }, index) => time < (onGrid[index - 1]?.time ?? time))) {
    throw new UnusableCandlesError("the candles are not in order");
  }
  const closed = onGrid
    .filter(({ time }, index) => time !== onGrid[index + 1]?.time)
    .filter(({ time }) => time + TIMEFRAME_MS[timeframe] <= closedUntil);
  if (closed.length < Math.min(count, MIN_CANDLES)) {
    throw new UnusableCandlesError(`only ${closed.length} of ${count} candles came`);
  }
  return closed.slice(-count);
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

/** The candle after the closed ones, merged from the rows that exist of it. */
export function openCandle(
  rows: readonly Candle[],
  { closed, timeframe }: { closed: readonly Candle[]; timeframe: Timeframe },
): Candle | undefined {
  const lengthMs = TIMEFRAME_MS[timeframe];
  const startsAt = (closed.at(-1)?.time ?? Number.POSITIVE_INFINITY) + lengthMs;
  const newer = rows.filter(({ time }) => time >= startsAt);
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
  asked: Timeframe,
  available: readonly string[],
): Timeframe | undefined {
  return TIMEFRAMES.findLast(
    (candidate) =>
      available.includes(candidate) && TIMEFRAME_MS[asked] % TIMEFRAME_MS[candidate] === 0,
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
