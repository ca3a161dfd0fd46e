import type { Candle } from "@shared/contract/candle.ts";
import type { Advice } from "../advice.ts";
import { TRADE_BOUNDS } from "../check-advice.ts";
import type { MarketBrief } from "../market-brief.ts";
import { roundToTick } from "../price-scale.ts";
import type { Reading } from "./cited-numbers.ts";

/** Every figure that an analyst's words may cite. Signed values may be cited without their sign. */
export interface KnownFigures {
  /** Prices of the market and of the advice. */
  prices: number[];
  /** Indicator values, volumes, distances between prices. */
  values: number[];
  percents: number[];
  /** Multiples of something: of the ATR, of the usual volume, of the risk. */
  multiples: number[];
  /** Distances between prices, for figures in pips. */
  distances: number[];
  readings: Partial<Record<Reading, number>>;
  /** Prices in whose reach round numbers are levels of their own. */
  lowest: number;
  highest: number;
  tick: number;
}

/** Levels that indicators are read against: RSI's, and Fibonacci's retracements in percent and as shares. */
const THRESHOLDS = [0, 20, 25, 30, 40, 50, 60, 70, 75, 80, 100];
const FIBONACCI_PERCENTS = [23.6, 38.2, 50, 61.8, 78.6, 127.2, 161.8];

/** Candles over which analysts like to measure a move. */
const USUAL_SPANS = [1, 2, 3, 4, 5, 6, 8, 10, 12, 20, 24, 48];

/** Last candles whose own size is worth a word. */
const LAST_CANDLES = 3;

/** How far beyond the candles shown a round number still is a level of this market, in ATR(14). */
const ROUND_REACH_ATR = 5;

/** Everything known: the brief, the advice's own levels, and what follows from both. */
export function knownFigures(options: {
  brief: MarketBrief;
  advice: Advice;
  ownFigures: readonly number[];
}): KnownFigures {
  const { brief, advice, ownFigures } = options;
  const { price, indicators, candles, scale } = brief;
  const atr = indicators.atr14 ?? 0;
  const shown = candles.flatMap(({ open, high, low, close }) => [open, high, low, close]);
  const levels = adviceLevels(brief, advice);
  const named = [...namedPrices(brief), ...levels];
  const distances = [
    ...named.map((level) => price - level),
    ...levels.flatMap((level) => levels.map((other) => other - level)),
    ...candles.slice(-LAST_CANDLES).flatMap(candleSizes),
  ].map(Math.abs);
  const rewardToRisk = rewardToRiskOf(advice);
  return {
    prices: [...shown, ...named],
    values: [...indicatorValues(brief), ...distances, ...ownFigures, ...THRESHOLDS],
    percents: [...percentsOf({ brief, named, distances }), advice.confidence, ...ownFigures],
    multiples: [
      ...ownFigures,
      ...(rewardToRisk === null ? [] : [rewardToRisk]),
      ...multiplesOf(brief, distances),
    ],
    distances: [...distances, atr],
    readings: readingsOf(brief, rewardToRisk),
    lowest: Math.min(...shown) - ROUND_REACH_ATR * atr,
    highest: Math.max(...shown) + ROUND_REACH_ATR * atr,
    tick: scale.tick,
  };
}

const isKnown = (value: number | null | undefined): value is number =>
  typeof value === "number" && Number.isFinite(value);

/** The levels as the analyst gave them, and as they were rounded. */
function adviceLevels({ scale }: MarketBrief, advice: Advice): number[] {
  const given = [advice.entry, advice.stop_loss, advice.take_profit].filter(isKnown);
  return given.flatMap((level) => [level, roundToTick(level, scale)]);
}

/** Prices that have a name in the brief. */
function namedPrices({ price, candles, indicators, resistances, supports }: MarketBrief): number[] {
  const { ema20, ema50, ema200, bollinger20: bands, swings } = indicators;
  const last = candles.at(-1);
  return [
    price,
    ...[ema20, ema50, ema200, bands?.lower, bands?.middle, bands?.upper].filter(isKnown),
    ...[last?.open, last?.high, last?.low].filter(isKnown),
    ...[...swings.highs, ...swings.lows],
    ...[...resistances, ...supports].map((level) => level.price),
    Math.max(...candles.map(({ high }) => high)),
    Math.min(...candles.map(({ low }) => low)),
  ];
}

const candleSizes = ({ open, high, low, close }: Candle): number[] => [high - low, close - open];

function indicatorValues({ indicators, lastCandleAt, candles }: MarketBrief): number[] {
  const { rsi14, macd, atr14, atrRatio, atrPercentile, volume, bollinger20: bands } = indicators;
  const growth = macd && macd.previousHistogram !== null && macd.histogram - macd.previousHistogram;
  return [
    ...[rsi14, atr14, atrRatio, atrPercentile].filter(isKnown),
    ...(macd ? [macd.macd, macd.signal, macd.histogram, macd.previousHistogram] : []),
    ...(typeof growth === "number" ? [growth] : []),
    ...(volume ? [volume.last, volume.average20, volume.ratio] : []),
    ...(bands ? [bands.upper - bands.lower] : []),
    ...candles.map((candle) => candle.volume),
    candles.length,
    new Date(lastCandleAt).getUTCFullYear(),
    ...FIBONACCI_PERCENTS.map((percent) => percent / 100),
    ...Object.values(TRADE_BOUNDS),
  ].filter(isKnown);
}

function percentsOf(options: {
  brief: MarketBrief;
  named: readonly number[];
  distances: readonly number[];
}): number[] {
  const { brief, named, distances } = options;
  const { price, candles, indicators } = brief;
  const { rsi14, atr14, atrRatio, atrPercentile, volume } = indicators;
  const closes = candles.map(({ close }) => close);
  const moves = USUAL_SPANS.flatMap((span) => closes.at(-1 - span) ?? []);
  return [
    ...distances.map((distance) => (100 * distance) / price),
    ...named.map((level) => (100 * (price - level)) / level),
    ...[...moves, closes[0]].filter(isKnown).map((close) => (100 * (price - close)) / close),
    ...(atr14 === null ? [] : [(100 * atr14) / price]),
    ...[atrRatio, volume?.ratio]
      .filter(isKnown)
      .flatMap((ratio) => [100 * ratio, 100 * (ratio - 1)]),
    ...[rsi14, atrPercentile].filter(isKnown),
    ...(atrPercentile === null ? [] : [100 - atrPercentile]),
    ...bandPositions(brief),
    ...[...THRESHOLDS, ...FIBONACCI_PERCENTS],
  ];
}

/** Where the price stands in its bands, in percent: from middle to edge, and from the lower edge to the upper. */
function bandPositions({ price, indicators: { bollinger20: bands } }: MarketBrief): number[] {
  if (!bands || bands.upper === bands.lower) return [];
  const { lower, middle, upper } = bands;
  const fromMiddle = (100 * (price - middle)) / (upper - middle);
  const fromLower = (100 * (price - lower)) / (upper - lower);
  return [fromMiddle, fromLower, 100 - fromLower, (100 * (upper - lower)) / middle];
}

function multiplesOf({ indicators }: MarketBrief, distances: readonly number[]): number[] {
  const { atr14, atrRatio, volume } = indicators;
  return [
    ...[atrRatio, volume?.ratio].filter(isKnown),
    ...(atr14 ? distances.map((distance) => distance / atr14) : []),
    ...Object.values(TRADE_BOUNDS),
  ];
}

function rewardToRiskOf({ entry, stop_loss: stop, take_profit: target }: Advice): number | null {
  if (entry === null || stop === null || target === null || entry === stop) return null;
  return Math.abs(target - entry) / Math.abs(entry - stop);
}

function readingsOf(
  { indicators: { rsi14, ema20, ema50, ema200 } }: MarketBrief,
  rewardToRisk: number | null,
): KnownFigures["readings"] {
  return {
    ...(rsi14 !== null && { RSI: rsi14 }),
    ...(ema20 !== null && { "EMA 20": ema20 }),
    ...(ema50 !== null && { "EMA 50": ema50 }),
    ...(ema200 !== null && { "EMA 200": ema200 }),
    ...(rewardToRisk !== null && { "reward to risk": rewardToRisk }),
  };
}
