import { DAY_MS, HOLD_CANDLES, HOUR_MS, MINUTE_MS } from "@shared/contract/constants.ts";
import { TIMEFRAME_MS, type Timeframe } from "@shared/contract/market-data.ts";

interface StatedHold {
  /** Number of candles; null if not stated. */
  candles: number | null;
  /** Used if there is no number. */
  text: string;
  timeframe: Timeframe;
  /** When the trade is made, Unix ms. */
  from: number;
}

/**
 * Hold limit of a trade: number of candles of `timeframe`, 1 to 480, after which it is closed. The stated number,
 * rounded up; otherwise that in the text; otherwise 24.
 */
export function holdLimit({ candles, text, timeframe, from }: StatedHold): number {
  if (candles !== null && candles > 0) return withinLimits(candles);
  const hold = parseHoldText(text, from);
  if (hold === null) return HOLD_CANDLES.default;
  return withinLimits("candles" in hold ? hold.candles : hold.durationMs / TIMEFRAME_MS[timeframe]);
}

const withinLimits = (candles: number): number =>
  Math.min(Math.max(Math.ceil(candles), HOLD_CANDLES.min), HOLD_CANDLES.max);

type Hold = { candles: number } | { durationMs: number };

const MAX_LENGTH = 300;

const OVERNIGHT_MS = 12 * HOUR_MS;

const UNITS_MS: Readonly<Record<string, number>> = {
  m: MINUTE_MS,
  h: HOUR_MS,
  d: DAY_MS,
  w: 7 * DAY_MS,
  mo: 30 * DAY_MS,
};
const WEEKDAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const FRIDAY = WEEKDAYS.indexOf("fri");

const NUMBER = String.raw`(?<![\w.])(\d+(?:\.\d+)?)`;
const UNIT = `(months?|mos?|minutes?|mins?|m|hours?|hrs?|hr|h|days?|d|weeks?|wks?|wk|w)(?![a-z])`;
/** Length of a candle: `4h`, `15-minute`, `h4`, `daily`. */
const TIMEFRAME = String.raw`(?:(\d+)[\s-]*${UNIT}|([mhdw])(\d+)|(hourly|daily|weekly))`;
const TO = String.raw`\s*(?:-|to|or)\s*`;

/** `6 candles`, `6-12 4h candles`, `10 x 15m bars`, `5 more daily candles`. */
const CANDLES = new RegExp(
  String.raw`${NUMBER}(?:${TO}(\d+(?:\.\d+)?))?[\s-]*(?:x\s*|more\s+|closed\s+)?(?:${TIMEFRAME}[\s-]*)?(?:candle(?:stick)?s?|bars?)\b`,
);
/** `4-8 hours`, `4 hours to 2 days`, `90m`. The second group is the longer end of a range. */
const DURATION = new RegExp(
  String.raw`${NUMBER}[\s-]*(?:${UNIT}|(?=${TO}\d))(?:${TO}(\d+(?:\.\d+)?)[\s-]*${UNIT})?`,
);
/** The rest of `1 day and 12 hours`, `1h30m`. */
const REMAINDER = new RegExp(String.raw`^\s*(?:and\s*)?(\d+(?:\.\d+)?)[\s-]*${UNIT}`);
/** Lengths of candles, which are not a hold: `on the 4h chart`. */
const CHART = new RegExp(
  String.raw`${TIMEFRAME}[\s-]*(?:chart|time ?frame|candle|bar|close)s?\b`,
  "g",
);
const WEEKDAY =
  /\b(?:until|till|by|through|before|to)\s+(?:the\s+)?(?:\w+\s+of\s+|next\s+|this\s+)?(sun|mon|tue|wed|thu|fri|sat)(?:(?:s|nes|rs|ur)?day)?\b/;

/**
 * Reads a number of candles, a time, a weekday or `overnight`, of a range the longer end. Numbers may be words. Days
 * end at midnight UTC. Null if the text has none of these.
 */
function parseHoldText(text: string, from: number): Hold | null {
  const words = readNumberWords(text.slice(0, MAX_LENGTH).toLowerCase().replaceAll(/[–—−]/g, "-"));
  return parseCandles(words) ?? parseDuration(words) ?? parseCalendar(words, from);
}

function parseCandles(words: string): Hold | null {
  const match = CANDLES.exec(words);
  if (!match) return null;
  const [, least, most, length, unit, letter, count, adjective] = match;
  const candles = Number(most ?? least);
  const candleMs = timeframeMs({ length: length ?? count, unit: unit ?? letter ?? adjective });
  return candleMs === null ? { candles } : { durationMs: candles * candleMs };
}

function timeframeMs(of: { length: string | undefined; unit: string | undefined }): number | null {
  const { length, unit } = of;
  if (unit === undefined) return null;
  return Number(length ?? 1) * unitMs(unit === "daily" ? "day" : unit);
}

function parseDuration(words: string): Hold | null {
  const text = words.replaceAll(CHART, " ");
  const match = DURATION.exec(text);
  if (!match) return null;
  const [whole, amount, unit, longer, longerUnit] = match;
  if (longer !== undefined && longerUnit !== undefined) {
    return { durationMs: Number(longer) * unitMs(longerUnit) };
  }
  if (unit === undefined) return null;
  const rest = text.slice(match.index + whole.length);
  return { durationMs: Number(amount) * unitMs(unit) + remainderMs(rest, unitMs(unit)) };
}

/** A smaller unit after a larger one: the 30 minutes of `1h30m`. */
function remainderMs(rest: string, largerMs: number): number {
  const [, amount, unit] = REMAINDER.exec(rest) ?? [];
  if (amount === undefined || unit === undefined || unitMs(unit) >= largerMs) return 0;
  return Number(amount) * unitMs(unit);
}

function unitMs(unit: string): number {
  const name = unit.startsWith("mo") ? "mo" : unit.slice(0, 1);
  return UNITS_MS[name] ?? Number.NaN;
}

function parseCalendar(words: string, from: number): Hold | null {
  const until = (endOfDay: number) => ({ durationMs: endOfDay - from });
  const [, weekday] = WEEKDAY.exec(words) ?? [];
  if (weekday !== undefined) return until(endOfWeekday(WEEKDAYS.indexOf(weekday), from));
  if (/\bovernight\b/.test(words)) return { durationMs: OVERNIGHT_MS };
  if (/\b(?:end of (?:the )?week|(?:this|the) week)\b/.test(words)) {
    return until(endOfWeekday(FRIDAY, from));
  }
  if (/\b(?:end of (?:the )?day|today|same day)\b/.test(words)) return until(endOfDay(from));
  return /\btomorrow\b/.test(words) ? until(endOfDay(from) + DAY_MS) : null;
}

const endOfDay = (time: number): number => (Math.floor(time / DAY_MS) + 1) * DAY_MS;

function endOfWeekday(weekday: number, from: number): number {
  const days = (weekday - new Date(from).getUTCDay() + WEEKDAYS.length) % WEEKDAYS.length;
  return endOfDay(from) + days * DAY_MS;
}

const SMALL = [
  "one",
  "two",
  "three",
  "four",
  "five",
  "six",
  "seven",
  "eight",
  "nine",
  "ten",
  "eleven",
  "twelve",
  "thirteen",
  "fourteen",
  "fifteen",
  "sixteen",
  "seventeen",
  "eighteen",
  "nineteen",
];
const TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];

const VALUES = new Map<string, number>([
  ...SMALL.map((word, index): [string, number] => [word, index + 1]),
  ...TENS.map((word, index): [string, number] => [word, 10 * (index + 2)]),
]);

const ONES = SMALL.slice(0, 9).join("|");
const WORD_NUMBER = new RegExp(
  String.raw`\b(?:(?:${TENS.join("|")})(?:[\s-](?:${ONES}))?|${SMALL.toReversed().join("|")})\b`,
  "g",
);

/** Words for numbers before a unit of time or a candle. */
const PHRASES: readonly (readonly [RegExp, string])[] = [
  [/\bhalf an? /g, "0.5 "],
  [/\b(?:a )?couple of /g, "2 "],
  [/\b(?:a )?few /g, "3 "],
  [/\b(?:an?|a single|single) (?=(?:full )?(?:minute|hour|day|week|month|candle|bar)\b)/g, "1 "],
];

/** Replaces numbers in words, up to 99, by digits: `twenty-four hours` becomes `24 hours`. Lower case only. */
function readNumberWords(text: string): string {
  const phrased = PHRASES.reduce(
    (words, [pattern, digits]) => words.replaceAll(pattern, digits),
    text,
  );
  return phrased.replaceAll(WORD_NUMBER, (words) => String(valueInDigits(words)));
}

const valueInDigits = (words: string): number =>
  words.split(/[\s-]/).reduce((sum, word) => sum + (VALUES.get(word) ?? 0), 0);
