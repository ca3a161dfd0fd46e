import { createHash } from "node:crypto";
import { DAY_MS, MINUTE_MS, SECOND_MS } from "@shared/contract/constants.ts";
import {
  findInstrument,
  type InstrumentClass,
  instrumentClass,
  type ProductSymbol,
} from "@shared/contract/instruments.ts";
import { type Candle, TIMEFRAME_MS, type Timeframe } from "@shared/contract/market-data.ts";
import { uniformFloat64 } from "pure-rand/distribution/uniformFloat64";
import { xoroshiro128plusFromState } from "pure-rand/generator/xoroshiro128plus";
import { openingTime } from "../candles.ts";

/** An endless market: the candle of a given time is always the same. */
export interface CandleSource {
  origin: "recorded" | "simulated";
  /** `from` is a multiple of the timeframe. */
  range(from: number, count: number): Candle[];
}

interface DemoInstrument {
  /** Price that the simulation moves around. */
  level: number;
  dailyVolatilityPercent: number;
  /** 0 where no venue reports a volume. */
  dailyVolume: number;
}

/** Rounded values of late 2025. */
const DEMO_VALUES: Readonly<Record<ProductSymbol | "XAUT/USDT", DemoInstrument>> = {
  "BTC/USDT": { level: 108_000, dailyVolatilityPercent: 2.2, dailyVolume: 60_000 },
  "ETH/USDT": { level: 3_900, dailyVolatilityPercent: 3.2, dailyVolume: 900_000 },
  "BNB/USDT": { level: 1_080, dailyVolatilityPercent: 2.6, dailyVolume: 120_000 },
  "ADA/USDT": { level: 0.65, dailyVolatilityPercent: 3.9, dailyVolume: 250_000_000 },
  "SOL/USDT": { level: 190, dailyVolatilityPercent: 3.8, dailyVolume: 8_000_000 },
  "XRP/USDT": { level: 2.4, dailyVolatilityPercent: 3.5, dailyVolume: 300_000_000 },
  "LTC/USDT": { level: 95, dailyVolatilityPercent: 3.4, dailyVolume: 3_000_000 },
  "DOGE/USDT": { level: 0.2, dailyVolatilityPercent: 4.2, dailyVolume: 2_000_000_000 },
  "XAUT/USDT": { level: 4_100, dailyVolatilityPercent: 1.1, dailyVolume: 3_000 },
  "XAU/USD": { level: 1_320, dailyVolatilityPercent: 0.8, dailyVolume: 0 },
  "XAG/USD": { level: 15.8, dailyVolatilityPercent: 1.5, dailyVolume: 0 },
  "EUR/USD": { level: 1.15, dailyVolatilityPercent: 0.45, dailyVolume: 0 },
  "GBP/USD": { level: 1.3, dailyVolatilityPercent: 0.55, dailyVolume: 0 },
  "AUD/USD": { level: 0.65, dailyVolatilityPercent: 0.6, dailyVolume: 0 },
  "USD/JPY": { level: 152, dailyVolatilityPercent: 0.6, dailyVolume: 0 },
  US30: { level: 46_700, dailyVolatilityPercent: 0.9, dailyVolume: 0 },
  NAS100: { level: 25_000, dailyVolatilityPercent: 1.3, dailyVolume: 0 },
  SPX500: { level: 6_700, dailyVolatilityPercent: 1, dailyVolume: 0 },
  WTI: { level: 58, dailyVolatilityPercent: 2, dailyVolume: 0 },
  BRENT: { level: 62, dailyVolatilityPercent: 1.9, dailyVolume: 0 },
  AAPL: { level: 270, dailyVolatilityPercent: 1.5, dailyVolume: 50_000_000 },
  MSFT: { level: 510, dailyVolatilityPercent: 1.3, dailyVolume: 22_000_000 },
};

export const DEMO_INSTRUMENTS: ReadonlyMap<string, DemoInstrument> = new Map(
  Object.entries(DEMO_VALUES),
);

/** Days after which the price is back at its level, so that it can run forever. */
const BLOCK_DAYS = 256;
/** GARCH(1,1) of a typical daily series, per unit of long-run variance. */
const GARCH = { shock: 0.08, memory: 0.9 } as const;
const MAX_DEVIATIONS = 6;
const WICK_DEVIATIONS = 0.4;

interface Day {
  /** Logarithm of price over level, in standard deviations of a usual day. */
  position: number;
  volatility: number;
}

export function simulatedDays(symbol: string, instrument: DemoInstrument): CandleSource {
  return {
    origin: "simulated",
    range: (from, count) => {
      const first = from / DAY_MS;
      const last = first + count - 1;
      const firstBlock = Math.floor(first / BLOCK_DAYS);
      const blocks = Math.floor(last / BLOCK_DAYS) - firstBlock + 1;
      const skipped = first - firstBlock * BLOCK_DAYS;
      return Array.from({ length: blocks }, (_, index) =>
        simulatedBlock(symbol, { instrument, block: firstBlock + index }),
      )
        .flat()
        .slice(skipped, skipped + count);
    },
  };
}

function simulatedBlock(
  symbol: string,
  { instrument, block }: { instrument: DemoInstrument; block: number },
): Candle[] {
  const random = seededRandom(`${symbol} days ${block}`);
  const days = pinnedWalk(random);
  const decimals = decimalsOf(symbol);
  const deviation = instrument.dailyVolatilityPercent / 100;
  const priceAt = (position: number) =>
    roundPrice(instrument.level * Math.exp(deviation * position), decimals);
  return days.map(({ position, volatility }, index) => {
    const before = days[index - 1]?.position ?? 0;
    const wick = () => volatility * WICK_DEVIATIONS * Math.abs(random.fatTailed());
    return {
      time: (block * BLOCK_DAYS + index) * DAY_MS,
      open: priceAt(before),
      high: priceAt(Math.max(before, position) + wick()),
      low: priceAt(Math.min(before, position) - wick()),
      close: priceAt(position),
      volume: instrument.dailyVolume * volatility * (0.5 + random.uniform()),
    };
  });
}

/** Fat tails and clustered volatility, without drift, so that the walk ends where it started. */
function pinnedWalk(random: SeededRandom): Day[] {
  let variance = 1;
  let position = 0;
  const walk = Array.from({ length: BLOCK_DAYS }, () => {
    const volatility = Math.sqrt(variance);
    const deviations = Math.max(-MAX_DEVIATIONS, Math.min(MAX_DEVIATIONS, random.fatTailed()));
    const move = volatility * deviations;
    position += move;
    variance = 1 - GARCH.shock - GARCH.memory + GARCH.shock * move ** 2 + GARCH.memory * variance;
    return { position, volatility };
  });
  return walk.map((day, index) => ({
    ...day,
    position: day.position - (position * (index + 1)) / BLOCK_DAYS,
  }));
}

/** 2 √(2/π), mean range of a random walk per standard deviation. */
const RANGE_PER_DEVIATION = 2 * Math.sqrt(2 / Math.PI);
const DIVISION_WICK_DEVIATIONS = 0.5;

/** Simulated shorter candles that add up to the longer ones: same open, close, high, low and volume. */
export function subdividedSource(
  source: CandleSource,
  { from: whole, to: part, symbol }: { from: Timeframe; to: Timeframe; symbol: string },
): CandleSource {
  const partMs = TIMEFRAME_MS[part];
  const wholeMs = TIMEFRAME_MS[whole];
  const seed = `${symbol} ${part}`;
  const division = { symbol, seed, partMs, parts: wholeMs / partMs, decimals: decimalsOf(symbol) };
  return {
    origin: "simulated",
    range: (from, count) => {
      const firstWhole = openingTime(from, whole);
      const wholes = Math.ceil((from + count * partMs - firstWhole) / wholeMs);
      const skipped = (from - firstWhole) / partMs;
      return source
        .range(firstWhole, wholes)
        .flatMap((candle) => subdivide(candle, division))
        .slice(skipped, skipped + count);
    },
  };
}

/** Simulated seconds that add up to a minute. */
export const secondsOf = (symbol: string, minute: Candle): Candle[] =>
  subdivide(minute, {
    symbol,
    seed: `${symbol} seconds`,
    partMs: SECOND_MS,
    parts: MINUTE_MS / SECOND_MS,
    decimals: decimalsOf(symbol),
  });

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
    const wick = () => usual * DIVISION_WICK_DEVIATIONS * Math.abs(random.fatTailed());
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

/** Normalized so that the parts move as much as equal parts would. */
function activities(whole: Candle, { parts, partMs, symbol }: Division): number[] {
  const raw = Array.from({ length: parts }, (_, index) =>
    activityAt(symbol, whole.time + index * partMs),
  );
  const meanSquare = raw.reduce((sum, each) => sum + each ** 2, 0) / parts;
  return raw.map((each) => each / Math.sqrt(meanSquare));
}

/** Fat-tailed random walk between open and close, folded back at high and low. Time advances with the variance. */
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

/**
 * Relative activity from an hour (UTC) on (cf. Andersen and Bollerslev, "Intraday periodicity and volatility
 * persistence", 1997).
 */
const ACTIVITY_FROM_HOUR: Readonly<Record<InstrumentClass, Record<number, number>>> = {
  crypto: { 0: 0.9, 7: 1, 13: 1.3, 17: 1.1, 21: 0.8 },
  forex: { 0: 0.7, 7: 1.2, 12: 1.6, 16: 1, 20: 0.5 },
  metal: { 0: 0.7, 7: 1, 12: 1.8, 17: 0.9, 20: 0.5 },
  index: { 0: 0.5, 7: 0.8, 13: 2, 15: 1.4, 20: 0.5 },
  oil: { 0: 0.5, 7: 1, 13: 1.8, 19: 0.8 },
  stocks: { 0: 0.3, 13: 2.2, 15: 1.4, 20: 1, 21: 0.3 },
};

export function activityAt(symbol: string, time: number): number {
  const hour = new Date(time).getUTCHours();
  const activities = Object.entries(ACTIVITY_FROM_HOUR[instrumentClass(symbol)]);
  return activities.findLast(([from]) => Number(from) <= hour)?.[1] ?? 1;
}

const DEGREES_OF_FREEDOM = 4;

/** Random numbers that are the same for the same seed, on every machine. */
interface SeededRandom {
  /** Uniform in (0, 1). */
  uniform(): number;
  /** Student's t with 4 degrees of freedom and variance 1. */
  fatTailed(): number;
}

function seededRandom(seed: string): SeededRandom {
  const digest = createHash("sha256").update(seed).digest();
  const state = [0, 4, 8, 12].map((offset) => digest.readInt32LE(offset));
  const generator = xoroshiro128plusFromState(state);
  const uniform = () => Math.max(uniformFloat64(generator), Number.EPSILON);
  return { uniform, fatTailed: () => studentT(uniform) };
}

/** Box-Muller normal over the root of a chi-square, which for 4 degrees of freedom is a sum of two exponentials. */
function studentT(uniform: () => number): number {
  const normal = Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
  const chiSquare = -2 * Math.log(uniform() * uniform());
  const variance = DEGREES_OF_FREEDOM / (DEGREES_OF_FREEDOM - 2);
  return (normal * Math.sqrt(DEGREES_OF_FREEDOM / chiSquare)) / Math.sqrt(variance);
}

const USUAL_DECIMALS = 2;

const decimalsOf = (symbol: string) => findInstrument(symbol)?.decimals ?? USUAL_DECIMALS;

const roundPrice = (price: number, decimals: number) => Number(price.toFixed(decimals));
