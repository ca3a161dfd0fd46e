import type { Candle } from "@shared/contract/candle.ts";
import type { Advice, AdviceReply } from "./analyst.ts";
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
 * Checks every number in the rationale and key evidence against the brief, the advice and what follows from both.
 * @returns a warning for each unknown number, at most three
 */
export function groundingWarnings(
  brief: MarketBrief,
  { advice, ownNumbers = [] }: Pick<AdviceReply, "advice" | "ownNumbers">,
  costNumbers: readonly number[] = [],
): string[] {
  const texts = [
    { name: "rationale", cited: citedNumbers(advice.rationale) },
    ...advice.key_evidence.map((text) => ({ name: "key evidence", cited: citedNumbers(text) })),
  ].filter(({ cited }) => cited.length > 0);
  if (texts.length === 0) return [];
  const known = knownNumbers(brief, advice, [...ownNumbers, ...costNumbers]);
  const warnings = texts.flatMap(({ name, cited }) =>
    unfounded(cited, known).map(
      ({ text }) => `The ${name} cites ${text}, which is not in the market data.`,
    ),
  );
  return [...new Set(warnings)].slice(0, MAX_WARNINGS);
}

function unfounded(cited: readonly CitedNumber[], known: KnownNumbers): CitedNumber[] {
  const proven = cited.filter((number) => isProven(number, known));
  return cited.filter((number) => !proven.includes(number) && !followsFrom(number, proven));
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
  const isOneOf = (values: readonly number[]) => values.some((value) => reads(cited, value));
  switch (cited.kind) {
    case "percent":
      return isOneOf(known.percents);
    case "multiple":
      return isOneOf(known.multiples);
    case "pips":
      return isOneOf(known.distances.map((distance) => distance / (TICKS_PER_PIP * known.tick)));
    case "plain":
      return (
        isOneOf(known.prices) ||
        isOneOf(known.values) ||
        isOneOf(known.multiples) ||
        isRoundLevel(cited, known)
      );
  }
}

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
  prices: number[];
  values: number[];
  percents: number[];
  multiples: number[];
  distances: number[];
  readings: Record<Reading, number | null>;
  lowest: number;
  highest: number;
  tick: number;
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
): KnownNumbers {
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
    values: [...indicatorValues(brief), ...distances, ...ownNumbers, ...THRESHOLDS],
    percents: [...percentsOf(brief, named, distances), advice.confidence, ...ownNumbers],
    multiples: [
      ...ownNumbers,
      ...(rewardToRisk === null ? [] : [rewardToRisk]),
      ...multiplesOf(brief, distances),
    ],
    distances: [...distances, atr],
    readings: {
      RSI: indicators.rsi14,
      "EMA 20": indicators.ema20,
      "EMA 50": indicators.ema50,
      "EMA 200": indicators.ema200,
      "reward to risk": rewardToRisk,
    },
    lowest: Math.min(...shown) - ROUND_REACH_ATR * atr,
    highest: Math.max(...shown) + ROUND_REACH_ATR * atr,
    tick: scale.tick,
  };
}

const isKnown = (value: number | null | undefined): value is number =>
  typeof value === "number" && Number.isFinite(value);

function adviceLevels({ scale }: MarketBrief, advice: Advice): number[] {
  const given = [advice.entry, advice.stop_loss, advice.take_profit].filter(isKnown);
  return given.flatMap((level) => [level, roundToTick(level, scale)]);
}

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
    ...[...THRESHOLDS, ...FIBONACCI_PERCENTS],
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

/** A `multiple` counts something: `2x`, `1.5 ATR`, `1:2`. */
type CitedKind = "plain" | "percent" | "multiple" | "pips";

type Reading = "RSI" | "EMA 20" | "EMA 50" | "EMA 200" | "reward to risk";

interface CitedNumber {
  text: string;
  value: number;
  /** Value of its last digit: 0.1 for `71.2`, 1,000 for `113k`, 100 for `113,500`. */
  unit: number;
  kind: CitedKind;
  isNegative: boolean;
  reading: Reading | null;
}

/** Whole numbers up to this are counts (`2 of 3 rules`), not market data. */
const MAX_COUNT = 12;

/** Significant digits of a round number: `113,500` is exact to 100, `110,000` to 1,000. */
const MEANT_DIGITS = 3;

const SCALES: Readonly<Record<string, number>> = { k: 1e3, K: 1e3, M: 1e6, B: 1e9 };

const DIGITS = String.raw`\d{1,3}(?:[,'\u00a0\u202f]\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+`;
const NUMBER = new RegExp(
  String.raw`(?<![A-Za-z\d]|\d[.,])(?<sign>(?<=^|[\s([:=~≈])[-−])?(?<money>[$€£¥]\s?)?(?<digits>${DIGITS})(?:(?<scale>[kKMB])(?![A-Za-z]))?(?!\d|[.,]\d)`,
  "g",
);

/** `1:2`, `2.5 : 1` and `1 to 3`: one side must be 1, or it is a range. */
const RATIO =
  /(?<![\d.,:])(?:1\s?(?::|\bto\b)\s?(?<over>\d+(?:\.\d+)?)|(?<under>\d+(?:\.\d+)?)\s?(?::|\bto\b)\s?1)(?![\d:%]|[.,]\d)/g;

const RANGE_END = String.raw`^(?:\s?(?:-|–|—|to|and)\s?\d+(?:\.\d+)?)?\s?`;
const KINDS: readonly [RegExp, CitedKind][] = [
  [new RegExp(String.raw`${RANGE_END}(?:%|percent\b|per cent\b|pct\b)`, "i"), "percent"],
  [new RegExp(String.raw`${RANGE_END}(?:[x×](?![A-Za-z])|R\b|(?:[x×*]\s?)?ATRs?\b)`), "multiple"],
  [new RegExp(String.raw`${RANGE_END}pips?\b`, "i"), "pips"],
];
const TIMES = /^\s?times\b/i;

/** Words between a name and its value. `near` and `above` are missing because a threshold may follow them. */
const READS = String.raw`(?:[\s(:=]|\bis\b|\bat\b|\bof\b|\bnow\b|\breads?\b|\breading\b|\bcurrently\b|\bstands\b|\bsits\b|\bvalue\b){0,12}$`;
const READINGS: readonly [RegExp, Reading][] = [
  [new RegExp(String.raw`\bRSI(?:\s?\(14\)|[\s-]14\b|14\b)?${READS}`, "i"), "RSI"],
  [averageReading(20), "EMA 20"],
  [averageReading(50), "EMA 50"],
  [averageReading(200), "EMA 200"],
  [
    new RegExp(
      String.raw`\b(?:R\s?[:/]\s?R|RR|rewards?(?:[\s-]to[\s-]|\s?[:/]\s?)risks?|risks?(?:[\s-]to[\s-]|\s?[:/]\s?)rewards?)(?:\sratio)?${READS}`,
      "i",
    ),
    "reward to risk",
  ],
];

function averageReading(period: number): RegExp {
  const names = String.raw`EMA[\s-]?\(?${period}\)?|${period}[\s-](?:(?:period|candle|day|hour)[\s-])?EMA`;
  return new RegExp(String.raw`\b(?:${names})${READS}`, "i");
}

const LOOK_BACK = 48;

/** Returns all numbers of a text that can be checked against market data. */
function citedNumbers(text: string): CitedNumber[] {
  if (!/\d/.test(text)) return [];
  const visible = hideNonFigures(text);
  const ratios = [...visible.matchAll(RATIO)];
  const rest = visible.replace(RATIO, (match) => " ".repeat(match.length));
  return [
    ...ratios.flatMap(readRatio),
    ...[...rest.matchAll(NUMBER)].flatMap((match) => readNumber(match, { text, visible: rest })),
  ];
}

function readRatio(match: RegExpExecArray): CitedNumber[] {
  const digits = match.groups?.over ?? match.groups?.under ?? "";
  if (Number(digits) === 1) return [];
  const unit = unitOf(digits);
  const ratio = { value: Number(digits), unit, kind: "multiple", isNegative: false } as const;
  return [{ ...ratio, text: match[0], reading: "reward to risk" }];
}

function readNumber(
  match: RegExpExecArray,
  { text, visible }: { text: string; visible: string },
): CitedNumber[] {
  const { sign, money, digits = "", scale } = match.groups ?? {};
  const after = visible.slice(match.index + match[0].length);
  const before = text.slice(Math.max(match.index - LOOK_BACK, 0), match.index);
  const plainDigits = digits.replaceAll(/[^\d.]/g, "");
  const factor = SCALES[scale ?? ""] ?? 1;
  const cited: CitedNumber = {
    text: `${match[0].trim()}${after.startsWith("%") ? "%" : ""}`,
    value: Number(plainDigits) * factor,
    unit: unitOf(plainDigits) * factor,
    kind: KINDS.find(([pattern]) => pattern.test(after))?.[1] ?? "plain",
    isNegative: sign !== undefined,
    reading: READINGS.find(([pattern]) => pattern.test(before))?.[1] ?? null,
  };
  if (cited.kind === "plain" && TIMES.test(after) && !isCount(cited)) cited.kind = "multiple";
  return money === undefined && scale === undefined && isCount(cited) ? [] : [cited];
}

function isCount({ kind, value, reading, unit }: CitedNumber): boolean {
  return kind === "plain" && reading === null && unit === 1 && value <= MAX_COUNT;
}

function unitOf(digits: string): number {
  const [whole = "", decimals] = digits.split(".");
  if (decimals !== undefined) return 10 ** -decimals.length;
  const zeros = /0*$/.exec(whole)?.[0].length ?? 0;
  return 10 ** Math.max(Math.min(zeros, whole.length - MEANT_DIGITS), 0);
}

/**
 * Numbers that need no proof: dates, durations, counts of candles, indicator periods, probabilities, the user's stake.
 */
const NON_FIGURES: readonly RegExp[] = [
  // 2025-10-23, 2025-10-23T00:00:00.000Z, 23/10/2025
  /\b\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)?Z?\b/g,
  /\b\d{1,2}[/.]\d{1,2}[/.]\d{4}\b/g,
  // 23 October 2025, Oct 23rd, October 2025
  /\b\d{1,2}(?:st|nd|rd|th)?\s+(?:of\s+)?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?(?:,?\s+\d{4})?\b/gi,
  /\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s+\d{1,4}(?:st|nd|rd|th)?(?:,?\s+\d{4})?\b/gi,
  // 12:30, 09:00:00 UTC, 9 am
  /\b(?:[01]?\d|2[0-4]):[0-5]\d(?::[0-5]\d)?(?:\s*(?:UTC|GMT|[ap]m))?\b/gi,
  /\b\d{1,2}\s?[ap]\.?m\b/gi,
  // 4h, 5m, 24–48h; a capital M is a million
  /\b\d+(?:\.\d+)?(?:\s?(?:-|–|—|to|or)\s?\d+(?:\.\d+)?)?\s?[smhdwHDW]\b/g,
  // 15-minute, 6 to 12 hours
  /\b\d+(?:\.\d+)?(?:\s*(?:-|–|—|to|or)\s*\d+(?:\.\d+)?)?[\s-]*(?:secs?|seconds?|mins?|minutes?|hrs?|hours?|hourly|days?|daily|weeks?|weekly|months?|years?)\b/gi,
  // 20 candles, last 3 closed bars, 20-period, 2 to 4 candles
  /\b\d+(?:\s*(?:-|–|—|to|or)\s*\d+)?[\s-]*(?:[a-z]+[\s-]+){0,2}?(?:candles?|candlesticks?|bars?|periods?|sessions?|closes)\b/gi,
  // RSI(14), RSI 14, EMA20, EMA 20/50/200, EMA(20, 50 and 200), MACD (12, 26, 9), Bollinger(20, 2)
  /\bRSI[\s-]*\(?\s*14\b(?!\.\d)\s*\)?/gi,
  /\bATR[\s-]*\(?\s*14\b(?!\.\d)\s*\)?/gi,
  /\b[ES]?MAs?[\s-]*\(?\s*(?:20|50|200)\b(?![.,]\d)(?:\s*(?:\/|,|and|&|,\s*and)\s*(?:20|50|200)\b(?![.,]\d))*\s*\)?/gi,
  /\b(?:20|50|200)(?:\s*(?:\/|,|and|&|,\s*and)\s*(?:20|50|200))*[\s-]*[ES]?MAs?\b/gi,
  /\b(?:MACD|Bollinger(?:\s+bands?)?)\s*\(\s*\d+(?:\s*[,/]\s*\d+){0,2}\s*\)/gi,
  // 72% confidence, a 60% chance, confidence of 72, 1% of capital, 3x leverage
  /\b\d+(?:\.\d+)?\s*%?\s*(?:confidence|confident|probability|chance|likelihood|odds|certain)/gi,
  /\b(?:confidence|probability|chance|likelihood|odds)[a-z\s:=]{0,20}\d+(?:\.\d+)?\s*%?/gi,
  /\b\d+(?:\.\d+)?(?:\s*[-–]\s*\d+(?:\.\d+)?)?\s*%\s+of\s+(?:the\s+|your\s+|my\s+)?(?:account|capital|equity|balance|portfolio|stake)/gi,
  /\b\d+(?:\.\d+)?\s*[x×]?\s*leverage/gi,
  // 1st, 2nd; words with digits in them: US30, H4, Q3
  /\b\d+(?:st|nd|rd|th)\b/gi,
  /\b[A-Z]{1,5}\d+[A-Z0-9]*\b/gi,
];

/** Not a digit, letter or blank, so that the text around it stays separate. */
const HIDDEN = "\u00b7";

function hideNonFigures(text: string): string {
  return NON_FIGURES.reduce(
    (visible, pattern) => visible.replace(pattern, (match) => HIDDEN.repeat(match.length)),
    text,
  );
}
