import type { EvidenceItem } from "@shared/contract/evidence.ts";
import type { Candle } from "@shared/contract/market-data.ts";
import type { Advice, AdviceReply } from "./analyst.ts";
import { type CitedNumber, citedNumbers, type Reading } from "./cited-numbers.ts";
import { type MarketBrief, roundToTick } from "./market-brief.ts";
import { TRADE_BOUNDS } from "./validate-advice.ts";

const MAX_WARNINGS = 3;

/** A pip is ten ticks, as brokers quote one decimal more. */
const TICKS_PER_PIP = 10;

/**
 * A number that differs by more than this factor from the indicator is taken for another number in the same sentence.
 */
const SAME_READING = { RSI: 100, average: 1.5 } as const;

const RELATIVE_TOLERANCE = 1e-9;

/**
 * Checks every number in the rationale and key evidence against the brief, the advice and what follows from both. With a
 * chart image, a price may also be a level that is drawn there.
 * @returns a warning for each unknown number, at most three
 */
export function groundingWarnings(
  brief: MarketBrief,
  { advice, ownNumbers = [] }: Pick<AdviceReply, "advice" | "ownNumbers">,
  known: { costs: readonly number[]; evidence: readonly EvidenceItem[]; hasChart: boolean } = {
    costs: [],
    evidence: [],
    hasChart: false,
  },
): string[] {
  const texts = [
    { name: "rationale", cited: citedNumbers(advice.rationale) },
    ...advice.key_evidence.map((text) => ({ name: "key evidence", cited: citedNumbers(text) })),
  ].filter(({ cited }) => cited.length > 0);
  if (texts.length === 0) return [];
  const further = known.evidence.flatMap(({ text }) => citedNumbers(text));
  const others = [...ownNumbers, ...known.costs, ...further.map(({ value }) => value)];
  const numbers = knownNumbers(brief, advice, others);
  const checked = { ...numbers, drawn: known.hasChart ? drawnRange(brief) : null };
  const warnings = texts.flatMap(({ name, cited }) =>
    unfounded(cited, checked).map(
      ({ text }) => `The ${name} cites ${text}, which is not in the market data.`,
    ),
  );
  return [...new Set(warnings)].slice(0, MAX_WARNINGS);
}

function unfounded(cited: readonly CitedNumber[], known: KnownNumbers): CitedNumber[] {
  const proven = cited.filter((number) => isProven(number, known));
  const bases = known.drawn ? [...proven, known.drawn.lastClose] : proven;
  return cited.filter((number) => !proven.includes(number) && !followsFrom(number, bases));
}

function reads({ value, unit, isNegative }: CitedNumber, actual: number): boolean {
  if (isNegative && actual > 0) return false;
  const excess = Math.abs(actual) - value;
  const slack = RELATIVE_TOLERANCE * Math.max(value, 1e-6);
  return excess >= -unit / 2 - slack && excess < unit + slack;
}

function isProven(cited: CitedNumber, known: KnownNumbers): boolean {
  const reading = readingFor(cited, known);
  if (reading !== undefined) return reads(cited, reading);
  // Without a trade there is no reward to risk, so a number for it is not market data.
  if (cited.reading === "reward to risk" && known.readings["reward to risk"] === null) return true;
  const isKnown = known.numbers[cited.kind].some((value) => reads(cited, value));
  if (isKnown || cited.kind !== "plain") return isKnown;
  return isRoundLevel(cited, known) || isDrawn(cited, known);
}

/** Share of the price within which a chart image may show lines and levels. */
const DRAWN_REACH = 0.5;

function drawnRange({ price, scale }: MarketBrief): NonNullable<KnownNumbers["drawn"]> {
  const unit = scale.tick;
  return {
    lowest: price * (1 - DRAWN_REACH),
    highest: price * (1 + DRAWN_REACH),
    lastClose: { text: "", value: price, unit, kind: "plain", isNegative: false, reading: null },
  };
}

/** Traders draw levels at prices that are in no candle of the brief. */
const isDrawn = ({ value }: CitedNumber, { drawn }: KnownNumbers): boolean =>
  drawn !== null && value >= drawn.lowest && value <= drawn.highest;

function readingFor(
  { reading, kind, value }: CitedNumber,
  known: KnownNumbers,
): number | undefined {
  if (reading === null || kind === "percent" || kind === "pips") return undefined;
  const actual = known.readings[reading];
  if (actual === null) return undefined;
  if (reading === "reward to risk") return actual;
  if (kind === "multiple") return undefined;
  if (reading === "RSI") return value <= SAME_READING.RSI ? actual : undefined;
  const factor = Math.max(value / actual, actual / value);
  return factor <= SAME_READING.average ? actual : undefined;
}

/** Two digits, or a third that is 5: traders watch 110,000 or 1.15 although no candle closed there. */
function isRoundLevel({ value }: CitedNumber, { lowest, highest }: KnownNumbers): boolean {
  if (value < lowest || value > highest) return false;
  const step = 10 ** (Math.floor(Math.log10(value)) - 1) / 2;
  const steps = value / step;
  return Math.abs(steps - Math.round(steps)) < RELATIVE_TOLERANCE * steps;
}

function followsFrom(cited: CitedNumber, proven: readonly CitedNumber[]): boolean {
  const plain = proven.filter(({ kind }) => kind === "plain");
  return plain.some((a) =>
    plain.some((b) => {
      if (a.value >= b.value) return false;
      // Rounding of both numbers.
      const slack = a.unit + b.unit;
      const difference = b.value - a.value;
      const candidates: Record<CitedNumber["kind"], { value: number; slack: number }[]> = {
        plain: [{ value: difference, slack }],
        percent: [a, b].map(({ value }) => ({
          value: (100 * difference) / value,
          slack: (100 * slack) / value,
        })),
        multiple: [{ value: b.value / a.value, slack: slack / a.value }],
        pips: [],
      };
      return candidates[cited.kind].some(
        (one) => Math.abs(one.value - cited.value) <= cited.unit + one.slack,
      );
    }),
  );
}

/** All numbers that an analyst may cite. Signs are ignored. */
interface KnownNumbers {
  numbers: Record<CitedNumber["kind"], number[]>;
  readings: Record<Reading, number | null>;
  lowest: number;
  highest: number;
  /** Prices of a chart image, whose distance from the last close may be cited; null if none was read. */
  drawn: { lowest: number; highest: number; lastClose: CitedNumber } | null;
}

const THRESHOLDS = [0, 20, 25, 30, 40, 50, 60, 70, 75, 80, 100];
const FIBONACCI_PERCENTS = [23.6, 38.2, 50, 61.8, 78.6, 127.2, 161.8];

const USUAL_SPANS = [1, 2, 3, 4, 5, 6, 8, 10, 12, 20, 24, 48];

const LAST_CANDLES = 3;

const ROUND_REACH_ATR = 5;

function knownNumbers(
  brief: MarketBrief,
  advice: Advice,
  ownNumbers: readonly number[],
): Omit<KnownNumbers, "drawn"> {
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
  const multiple = [...multiplesOf(brief, distances), ...ownNumbers];
  if (rewardToRisk !== null) multiple.push(rewardToRisk);
  const pip = TICKS_PER_PIP * scale.tick;
  return {
    numbers: {
      plain: [
        ...ownNumbers,
        ...shown,
        ...named,
        ...indicatorValues(brief),
        ...distances,
        ...multiple,
        ...THRESHOLDS,
      ],
      percent: [...percentsOf(brief, named, distances), advice.confidence, ...ownNumbers],
      multiple,
      pips: [...distances, atr].map((distance) => distance / pip),
    },
    readings: {
      RSI: indicators.rsi14,
      "EMA 20": indicators.ema20,
      "EMA 50": indicators.ema50,
      "EMA 200": indicators.ema200,
      "reward to risk": rewardToRisk,
    },
    lowest: Math.min(...shown) - ROUND_REACH_ATR * atr,
    highest: Math.max(...shown) + ROUND_REACH_ATR * atr,
  };
}

const isKnown = (value: number | null | undefined): value is number =>
  typeof value === "number" && Number.isFinite(value);

function adviceLevels({ scale }: MarketBrief, advice: Advice): number[] {
  const levels = [advice.entry, advice.stop_loss, advice.take_profit].filter(isKnown);
  return levels.flatMap((level) => [level, roundToTick(level, scale)]);
}

function namedPrices({ price, candles, indicators, resistances, supports }: MarketBrief): number[] {
  const { ema20, ema50, ema200, bollinger20: bands, swings } = indicators;
  const last = candles.at(-1);
  return [
    price,
    ...[ema20, ema50, ema200, bands?.lower, bands?.middle, bands?.upper].filter(isKnown),
    ...[last?.open, last?.high, last?.low].filter(isKnown),
    ...swings.highs,
    ...swings.lows,
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

function percentsOf(
  brief: MarketBrief,
  named: readonly number[],
  distances: readonly number[],
): number[] {
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
    ...THRESHOLDS,
    ...FIBONACCI_PERCENTS,
  ];
}

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
