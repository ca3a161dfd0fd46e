import {
  type Candle,
  candleSchema,
  TIMEFRAME_MS,
  type Timeframe,
} from "@shared/contract/candle.ts";
import { z } from "zod";
import { openingTime } from "./candle-grid.ts";

/** Fewer candles than this say too little about a market, unless fewer were asked for. */
export const ENOUGH_CANDLES = 30;
/** Share of candles without any trade above which a market is too quiet to be judged. */
const MAX_GAP_SHARE = 0.1;

/** Rows as exchange libraries give them: open time (ms), open, high, low, close, volume. */
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

/** An answer that is no usable series of candles; the message says why, in plain words. */
export class UnusableCandlesError extends Error {
  override readonly name = "UnusableCandlesError";
}

/**
 * Turns the rows of a market that never closes into the closed candles up to `now`, at most `count`
 * of them, oldest first and without gaps; the newest may be missing where the feed has stopped. The open candle, older ones and duplicates are dropped. A candle that is
 * missing because nobody traded becomes a flat one without volume, as is usual in the field.
 * @throws UnusableCandlesError for anything but a sound series on the grid of the timeframe
 */
export function closedCandles(
  rows: unknown,
  options: { timeframe: Timeframe; count: number; now: number },
): Candle[] {
  const parsed = rowsSchema.safeParse(rows);
  if (!parsed.success) throw new UnusableCandlesError("the answer holds no valid candles");
  const { timeframe, count, now } = options;
  const openNow = openingTime(now, timeframe);
  const closed = distinct(parsed.data, timeframe).filter(({ time }) => time < openNow);
  const candles = fillGaps(closed, timeframe).slice(-count);
  if (candles.length < Math.min(count, ENOUGH_CANDLES)) {
    throw new UnusableCandlesError(`only ${candles.length} of ${count} candles came`);
  }
  return candles;
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
  const [first, last] = [candles[0], candles.at(-1)];
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
