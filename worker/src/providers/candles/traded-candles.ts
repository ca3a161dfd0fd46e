import { type Candle, TIMEFRAME_MS, type Timeframe } from "@shared/contract/candle.ts";
import { openingTime } from "./candle-grid.ts";
import { ENOUGH_CANDLES, UnusableCandlesError } from "./closed-candles.ts";
import { mergeCandles } from "./resample.ts";

/** Share of rows that may be off the grid, as quotes between the candles are. */
const MAX_STRAY_SHARE = 0.1;

/**
 * The candles that were closed at `closedUntil`, at most the newest `count`, oldest first, of a market that is not
 * always open: what is missing between them are hours without trading, which are left out. Of two candles of the
 * same time the later one counts.
 * @throws UnusableCandlesError for too few candles, or candles that are out of order or off the grid
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
  if (closed.length < Math.min(count, ENOUGH_CANDLES)) {
    throw new UnusableCandlesError(`only ${closed.length} of ${count} candles came`);
  }
  return closed.slice(-count);
}

/**
 * Builds longer candles from shorter ones, which may lack closed hours: each is made of what was traded in its time.
 * The first is left out if it may have begun earlier, the last until its time is over at `closedUntil`.
 */
export function resampleTraded(
  candles: readonly Candle[],
  options: { to: Timeframe; closedUntil: number },
): Candle[] {
  const { to, closedUntil } = options;
  const groups = new Map<number, Candle[]>();
  for (const candle of candles) {
    const time = openingTime(candle.time, to);
    groups.set(time, [...(groups.get(time) ?? []), candle]);
  }
  const began = candles[0]?.time ?? 0;
  return [...groups].flatMap(([time, parts]) => {
    const whole = time >= began && time + TIMEFRAME_MS[to] <= closedUntil;
    return (whole && mergeCandles(parts, time)) || [];
  });
}
