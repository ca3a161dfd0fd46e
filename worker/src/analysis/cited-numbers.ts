/** A `multiple` counts something: `2x`, `1.5 ATR`, `1:2`. */
type CitedKind = "plain" | "percent" | "multiple" | "pips";

export type Reading = "RSI" | "EMA 20" | "EMA 50" | "EMA 200" | "reward to risk";

export interface CitedNumber {
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
export function citedNumbers(text: string): CitedNumber[] {
  if (!/\d/.test(text)) return [];
  const visible = hideOtherNumbers(text);
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
const OTHER_NUMBERS: readonly RegExp[] = [
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

function hideOtherNumbers(text: string): string {
  return OTHER_NUMBERS.reduce(
    (visible, pattern) => visible.replace(pattern, (match) => HIDDEN.repeat(match.length)),
    text,
  );
}
