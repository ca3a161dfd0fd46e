import { TIMEFRAMES } from "@shared/contract/constants.ts";
import { type Candle, TIMEFRAME_MS, type Timeframe } from "@shared/contract/market-data.ts";
import {
  ATR,
  BollingerBands,
  EMA,
  MACD,
  type MACDResult,
  RSI,
  SMA,
  SwingHigh,
  SwingLow,
} from "trading-signals";
import { resampleTraded } from "../market-data/candles.ts";

/** Indicators at the last closed candle; null with too few candles for a stable value. */
export type Indicators = ReturnType<typeof computeIndicators>;

export function computeIndicators({ candles, timeframe }: MarketCandles) {
  const closes = candles.map((candle) => candle.close);
  return {
    rsi14: computeRsi(closes, 14),
    ema20: computeEma(closes, 20),
    ema50: computeEma(closes, 50),
    ema200: computeEma(closes, 200),
    macd: computeMacd(closes),
    ...computeAtr(candles),
    bollinger20: computeBollinger(closes),
    volume: computeVolume(candles),
    swings: findSwings(candles),
    trend: readTrend(closes),
    higherTimeframe: computeHigherTimeframe({ candles, timeframe }),
  };
}

export function computeRsi(closes: readonly number[], period: number): number | null {
  const rsi = new RSI(period);
  rsi.updates(closes);
  return rsi.getResult();
}

/** The histogram before is null where that candle was not stable yet. */
function computeMacd(closes: readonly number[]) {
  const signal = new EMA(9);
  const macd = new MACD(new EMA(12), new EMA(26), signal);
  const stable: MACDResult[] = [];
  for (const close of closes) {
    const result = macd.add(close);
    // MACD reports itself stable while its signal line still warms up.
    if (result && signal.isStable) stable.push(result);
  }
  const last = stable.at(-1);
  return last ? { ...last, previousHistogram: stable.at(-2)?.histogram ?? null } : null;
}

const AVERAGED_ATRS = 50;

const RANKED_ATRS = { max: 200, min: 50 } as const;

const REGIME_PERCENTILE = { quiet: 20, lively: 80 } as const;

function computeAtr(candles: readonly Candle[]) {
  const atr = new ATR(14);
  const average = new SMA(AVERAGED_ATRS);
  const ranges = candles.flatMap((candle) => atr.add(candle) ?? []);
  average.updates(ranges);
  const last = ranges.at(-1) ?? null;
  const usual = average.getResult();
  return {
    atr14: last,
    /** ATR(14) divided by its mean of the last 50 candles. */
    atrRatio: last === null || !usual ? null : last / usual,
    /** Percentile rank of ATR(14) among up to 200 earlier ones. */
    atrPercentile: last === null ? null : percentileRank(last, ranges.slice(0, -1)),
  };
}

function percentileRank(last: number, all: readonly number[]): number | null {
  const earlier = all.slice(-RANKED_ATRS.max);
  if (earlier.length < RANKED_ATRS.min) return null;
  return (100 * earlier.filter((range) => range < last).length) / earlier.length;
}

export function volatilityRegime(atrPercentile: number): "quiet" | "normal" | "lively" {
  if (atrPercentile <= REGIME_PERCENTILE.quiet) return "quiet";
  return atrPercentile >= REGIME_PERCENTILE.lively ? "lively" : "normal";
}

function computeBollinger(closes: readonly number[]) {
  const bands = new BollingerBands(20, 2);
  bands.updates(closes);
  return bands.getResult();
}

/** Null also where the market reports no volume, as forex feeds do. */
function computeVolume(candles: readonly Candle[]) {
  const last = candles.at(-1);
  const average = new SMA(20);
  average.updates(candles.map((candle) => candle.volume));
  const average20 = average.getResult();
  if (!last || average20 === null || average20 === 0) return null;
  return { last: last.volume, average20, ratio: last.volume / average20 };
}

/**
 * Between Bill Williams' two, which marks every wiggle, and the usual five, which confirms too late on short
 * timeframes.
 */
const PIVOT_REACH = 3;

const MAX_PIVOTS = 5;

interface Swings {
  highs: number[];
  lows: number[];
}

function findSwings(candles: readonly Candle[]): Swings {
  const swingHigh = new SwingHigh({ lookback: PIVOT_REACH });
  const swingLow = new SwingLow({ lookback: PIVOT_REACH });
  const isPivot = (price: number | null) => price !== null;
  return {
    highs: swingHigh.updates(candles).filter(isPivot).slice(-MAX_PIVOTS),
    lows: swingLow.updates(candles).filter(isPivot).slice(-MAX_PIVOTS),
  };
}

/** Swing prices above and below `price`, nearest first. Former highs serve as support and the reverse. */
export function structureAround(
  price: number,
  swings: Swings,
): { resistances: number[]; supports: number[] } {
  const prices = [...new Set([...swings.highs, ...swings.lows])];
  return {
    resistances: prices.filter((level) => level > price).sort((a, b) => a - b),
    supports: prices.filter((level) => level < price).sort((a, b) => b - a),
  };
}

type Trend = "up" | "down" | "flat";

const EMA_PERIOD = 20;

const SLOPE_REACH = 3;

/**
 * Up: the close is above EMA(20), and EMA(20) above its value three candles ago. Down is the reverse. Null below 23
 * closes.
 */
function readTrend(closes: readonly number[]): Trend | null {
  const averages = computeEmaSeries(closes, EMA_PERIOD);
  const close = closes.at(-1);
  const average = averages.at(-1);
  const earlier = averages.at(-1 - SLOPE_REACH);
  if (close === undefined || typeof average !== "number" || typeof earlier !== "number")
    return null;
  if (close > average && average > earlier) return "up";
  if (close < average && average < earlier) return "down";
  return "flat";
}

/** Seeded with the first value; null until `period` values are in. */
export function computeEmaSeries(values: readonly number[], period: number): (number | null)[] {
  const ema = new EMA(period);
  return values.map((value, index) => {
    const average = ema.update(value, false);
    // `isStable` throws and catches inside, which costs more than the average itself.
    return index + 1 >= period ? average : null;
  });
}

function computeEma(values: readonly number[], period: number): number | null {
  return computeEmaSeries(values, period).at(-1) ?? null;
}

interface MarketCandles {
  /** Closed candles, oldest first. */
  candles: readonly Candle[];
  timeframe: Timeframe;
}

interface HigherTimeframe {
  timeframe: Timeframe | "1w";
  trend: Trend;
}

/** Candles of the higher timeframe span at least this many, few enough to leave sufficient for a trend. */
const HIGHER_SPAN = 4;

const WEEK_MS = 7 * TIMEFRAME_MS["1d"];

/** Weeks start on Monday; Unix time started on a Thursday. */
const MONDAY_OFFSET_MS = 4 * TIMEFRAME_MS["1d"];

/** The trend of the next higher timeframe, from the same candles; null with fewer than 23 of its candles. */
export function computeHigherTimeframe({
  candles,
  timeframe,
}: MarketCandles): HigherTimeframe | null {
  const lengthMs = TIMEFRAME_MS[timeframe];
  const higher = TIMEFRAMES.find((longer) => TIMEFRAME_MS[longer] >= HIGHER_SPAN * lengthMs);
  const merged = resampleTraded(candles, {
    lengthMs: higher ? TIMEFRAME_MS[higher] : WEEK_MS,
    offsetMs: higher ? 0 : MONDAY_OFFSET_MS,
    closedUntil: (candles.at(-1)?.time ?? 0) + lengthMs,
  });
  const trend = readTrend(merged.map(({ close }) => close));
  return trend === null ? null : { timeframe: higher ?? "1w", trend };
}
