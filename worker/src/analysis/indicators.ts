import type { Candle, Timeframe } from "@shared/contract/candle.ts";
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
import {
  computeEma,
  computeHigherTimeframe,
  type HigherTimeframe,
  readTrend,
  type Trend,
} from "./trend.ts";

/** Indicators at the last closed candle; null where there are too few candles for a stable value. */
export interface Indicators {
  /** Wilder's relative strength index, 0–100. */
  rsi14: number | null;
  ema20: number | null;
  ema50: number | null;
  ema200: number | null;
  macd: Macd | null;
  /** Wilder's average true range, in the quote currency. */
  atr14: number | null;
  /** ATR(14) divided by its mean of the last 50 candles; above 1 the market moves more than usual. */
  atrRatio: number | null;
  /** Where ATR(14) ranks among up to 200 earlier ones, 0–100. */
  atrPercentile: number | null;
  bollinger20: Bands | null;
  /** Null also where the market reports no volume. */
  volume: Volume | null;
  swings: Swings;
  /** Direction of these candles themselves. */
  trend: Trend | null;
  higherTimeframe: HigherTimeframe | null;
}

/** Computes every indicator from closed candles, oldest first. Later candles change nothing. */
export function computeIndicators(options: {
  candles: readonly Candle[];
  timeframe: Timeframe;
}): Indicators {
  const { candles, timeframe } = options;
  const closes = candles.map((candle) => candle.close);
  return {
    rsi14: computeRsi(closes, 14),
    ema20: computeEma(closes, 20),
    ema50: computeEma(closes, 50),
    ema200: computeEma(closes, 200),
    macd: computeMacd(closes),
    atr14: computeAtr(candles, 14),
    atrRatio: computeAtrRatio(candles),
    atrPercentile: computeAtrPercentile(candles),
    bollinger20: computeBollinger(closes),
    volume: computeVolume(candles),
    swings: findSwings(candles),
    trend: readTrend(closes),
    higherTimeframe: computeHigherTimeframe({ candles, timeframe }),
  };
}

/** Moving average convergence/divergence (12, 26, 9), in the quote currency. */
interface Macd {
  macd: number;
  signal: number;
  histogram: number;
  /** The histogram one candle earlier, null where that one was not yet stable. */
  previousHistogram: number | null;
}

/** Wilder's relative strength index (New Concepts in Technical Trading Systems, 1978), 0–100. */
export function computeRsi(closes: readonly number[], period: number): number | null {
  const rsi = new RSI(period);
  rsi.updates(closes);
  return rsi.getResult();
}

/** Appel's MACD with exponential averages of 12 and 26 and a signal line of 9. */
function computeMacd(closes: readonly number[]): Macd | null {
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

/** Candles over which the usual size of the average true range is taken. */
const USUAL_ATR_PERIOD = 50;

/** Earlier ranges that the present one is ranked among, at most and at least. */
const RANKED_ATRS = { most: 200, fewest: 50 } as const;

/** Percentiles of ATR(14) up to which a market counts as quiet, and from which as lively. */
const REGIME_PERCENTILE = { quiet: 20, lively: 80 } as const;

type VolatilityRegime = "quiet" | "normal" | "lively";

interface Bands {
  lower: number;
  middle: number;
  upper: number;
}

/** Wilder's average true range: the mean of the first `period` true ranges, then smoothed by 1 / period. */
function computeAtr(candles: readonly Candle[], period: number): number | null {
  const atr = new ATR(period);
  atr.updates(candles);
  return atr.getResult();
}

/** ATR(14) divided by its mean of the last 50 candles; null where too few candles or nothing moved. */
function computeAtrRatio(candles: readonly Candle[]): number | null {
  const atr = new ATR(14);
  const usual = new SMA(USUAL_ATR_PERIOD);
  for (const candle of candles) {
    const value = atr.add(candle);
    if (value !== null) usual.add(value);
  }
  const now = atr.getResult();
  const average = usual.getResult();
  if (now === null || average === null || average === 0) return null;
  return now / average;
}

/**
 * Share of up to 200 earlier values of ATR(14) that are below the present one, 0–100; null with fewer than 50 of them.
 */
function computeAtrPercentile(candles: readonly Candle[]): number | null {
  const atr = new ATR(14);
  const ranges = candles.flatMap((candle) => atr.add(candle) ?? []);
  const now = ranges.at(-1);
  const earlier = ranges.slice(-1 - RANKED_ATRS.most, -1);
  if (now === undefined || earlier.length < RANKED_ATRS.fewest) return null;
  return (100 * earlier.filter((range) => range < now).length) / earlier.length;
}

/** `atrPercentile` in a word: quiet up to the 20th, lively from the 80th. */
export function volatilityRegime(atrPercentile: number): VolatilityRegime {
  if (atrPercentile <= REGIME_PERCENTILE.quiet) return "quiet";
  return atrPercentile >= REGIME_PERCENTILE.lively ? "lively" : "normal";
}

/** Bollinger bands: 20-candle mean, two population standard deviations to either side. */
function computeBollinger(closes: readonly number[]): Bands | null {
  const bands = new BollingerBands(20, 2);
  bands.updates(closes);
  return bands.getResult();
}

/** Traded volume as its provider counts it (mostly units of the base). */
interface Volume {
  last: number;
  /** Mean of the last 20 candles, the last one included. */
  average20: number;
  /** `last / average20`. */
  ratio: number;
}

/** Null with fewer than 20 candles, and where the market reports no volume, as forex feeds do. */
function computeVolume(candles: readonly Candle[]): Volume | null {
  const last = candles.at(-1);
  const average = new SMA(20);
  average.updates(candles.map((candle) => candle.volume));
  const average20 = average.getResult();
  if (!last || average20 === null || average20 === 0) return null;
  return { last: last.volume, average20, ratio: last.volume / average20 };
}

/**
 * Candles on either side that a pivot must exceed. Three sits between Bill Williams' two, which marks every
 * wiggle, and the chartists' five, which confirms too late for the short timeframes.
 */
const PIVOT_REACH = 3;

/** Pivots kept of each kind. */
const PIVOTS_KEPT = 5;

/** Prices of the most recent fractal pivots, oldest first. */
interface Swings {
  highs: number[];
  lows: number[];
}

/** Finds pivots that strictly exceed their neighbours; each is known only once the candles after it closed. */
function findSwings(candles: readonly Candle[]): Swings {
  const swingHigh = new SwingHigh({ lookback: PIVOT_REACH });
  const swingLow = new SwingLow({ lookback: PIVOT_REACH });
  const isPivot = (price: number | null) => price !== null;
  return {
    highs: swingHigh.updates(candles).filter(isPivot).slice(-PIVOTS_KEPT),
    lows: swingLow.updates(candles).filter(isPivot).slice(-PIVOTS_KEPT),
  };
}

/** Swing prices above and below `price`, nearest first; former highs serve as support and the reverse. */
export function structureAround(options: { price: number; swings: Swings }): {
  resistances: number[];
  supports: number[];
} {
  const { price, swings } = options;
  const prices = [...new Set([...swings.highs, ...swings.lows])];
  return {
    resistances: prices.filter((level) => level > price).sort((a, b) => a - b),
    supports: prices.filter((level) => level < price).sort((a, b) => b - a),
  };
}
