import { type Candle, TIMEFRAME_MS, type Timeframe } from "@shared/contract/candle.ts";
import { openingTime } from "../candles/candle-grid.ts";
import type { CandleSource } from "./candle-source.ts";
import { activityAt } from "./daily-rhythm.ts";
import { roundPrice } from "./round-price.ts";
import { type SeededRandom, seededRandom } from "./seeded-random.ts";

/** Mean range of a random walk in units of its standard deviation over the same time: 2 √(2/π). */
const RANGE_PER_DEVIATION = 2 * Math.sqrt(2 / Math.PI);
/** Typical length of a wick, in standard deviations of one step. */
const WICK_DEVIATIONS = 0.5;

/**
 * A shorter timeframe of the same market, made up so that its candles add up to exactly the longer
 * ones: same open, close, high, low and volume.
 * @param options.symbol tells this market's random numbers and daily rhythm from those of others
 */
export function subdividedSource(
  source: CandleSource,
  options: { from: Timeframe; to: Timeframe; symbol: string; decimals: number },
): CandleSource {
  const partMs = TIMEFRAME_MS[options.to];
  const wholeMs = TIMEFRAME_MS[options.from];
  const seed = `${options.symbol} ${options.to}`;
  return {
    origin: "simulated",
    range: (from, count) => {
      const firstWhole = openingTime(from, options.from);
      const wholes = Math.ceil((from + count * partMs - firstWhole) / wholeMs);
      const skipped = (from - firstWhole) / partMs;
      return source
        .range(firstWhole, wholes)
        .flatMap((whole) => subdivide(whole, { ...options, seed, partMs, parts: wholeMs / partMs }))
        .slice(skipped, skipped + count);
    },
  };
}

interface Division {
  parts: number;
  partMs: number;
  seed: string;
  symbol: string;
  decimals: number;
}

function subdivide(whole: Candle, division: Division): Candle[] {
  const random = seededRandom(`${division.seed} ${whole.time}`);
  const step = (whole.high - whole.low) / (RANGE_PER_DEVIATION * Math.sqrt(division.parts));
  const inside = (price: number) =>
    Math.min(whole.high, Math.max(whole.low, roundPrice(price, division.decimals)));
  const activity = activities(whole, division);
  const path = pricePath(whole, { activity, step, random }).map(inside);
  const closes = [...path.slice(0, -1), whole.close];
  const shares = volumeShares(activity, random);
  const candles = closes.map((close, index) => {
    const open = closes[index - 1] ?? whole.open;
    const usual = step * (activity[index] ?? 1);
    const wick = () => usual * WICK_DEVIATIONS * Math.abs(random.fatTailed());
    return {
      time: whole.time + index * division.partMs,
      open,
      high: Math.max(open, close, inside(Math.max(open, close) + wick())),
      low: Math.min(open, close, inside(Math.min(open, close) - wick())),
      close,
      volume: whole.volume * (shares[index] ?? 0),
    };
  });
  return reachingExtremes(candles, whole);
}

/** How much each part moves, so that together they move as much as parts that are all alike. */
function activities(whole: Candle, { parts, partMs, symbol }: Division): number[] {
  const raw = Array.from({ length: parts }, (_, index) =>
    activityAt(symbol, whole.time + index * partMs),
  );
  const meanSquare = raw.reduce((sum, each) => sum + each ** 2, 0) / parts;
  return raw.map((each) => each / Math.sqrt(meanSquare));
}

/**
 * A fat-tailed random walk pinned at both ends and folded back wherever it would leave the candle. Its clock goes by
 * what happens: half of the way is made when half of the candle's variance is behind.
 */
function pricePath(
  whole: Candle,
  { activity, step, random }: { activity: number[]; step: number; random: SeededRandom },
): number[] {
  let sum = 0;
  let variance = 0;
  const walk = activity.map((each) => {
    sum += each * random.fatTailed();
    variance += each ** 2;
    return { position: sum, elapsed: variance / activity.length };
  });
  return walk.map(({ position, elapsed }) => {
    const drift = whole.open + (whole.close - whole.open) * elapsed;
    return folded(drift + step * (position - sum * elapsed), whole);
  });
}

function folded(price: number, { low, high }: Candle): number {
  const span = high - low;
  if (span === 0) return low;
  const offset = Math.abs(price - low) % (2 * span);
  return low + Math.min(offset, 2 * span - offset);
}

function volumeShares(activity: number[], random: SeededRandom): number[] {
  const weights = activity.map((each) => each * -Math.log(random.uniform()));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => weight / total);
}

/** Lets the part that comes nearest to each extreme of the whole touch it. */
function reachingExtremes(candles: Candle[], { high, low }: Candle): Candle[] {
  const highs = candles.map((candle) => candle.high);
  const lows = candles.map((candle) => candle.low);
  const highest = highs.indexOf(Math.max(...highs));
  const lowest = lows.indexOf(Math.min(...lows));
  return candles.map((candle, index) => ({
    ...candle,
    high: index === highest ? high : candle.high,
    low: index === lowest ? low : candle.low,
  }));
}
