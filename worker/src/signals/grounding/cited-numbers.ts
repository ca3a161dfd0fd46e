import { hideNonFigures } from "./hide-non-figures.ts";

/** What a cited number claims to be; a `multiple` counts something: `2x`, `1.5 ATR`, `1:2`. */
export type CitedKind = "plain" | "percent" | "multiple" | "pips";

/** What a cited number is said to be the value of; null where the words before it do not tell. */
export type Reading = "RSI" | "EMA 20" | "EMA 50" | "EMA 200" | "reward to risk";

/** A number in a text, and how exactly it was written. */
export interface CitedNumber {
  /** As it stands there: `$113k`, `0.5%`. */
  text: string;
  /** Without its sign. */
  value: number;
  /** What its last digit counts: 0.1 of `71.2`, 1,000 of `113k`, 100 of `113,500`. */
  unit: number;
  kind: CitedKind;
  /** It has a minus sign of its own. */
  isNegative: boolean;
  reading: Reading | null;
}

/** Whole numbers up to this are counts (`2 of 3 rules`, `tested 3 times`) unless they say that they are figures. */
const LARGEST_COUNT = 12;

/** Digits of a round number that are meant: `113,500` is exact to 100, `110,000` to 1,000. */
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

/** What may follow a number, also after the end of a range that it begins, and what that makes of it. */
const RANGE_END = String.raw`^(?:\s?(?:-|–|—|to|and)\s?\d+(?:\.\d+)?)?\s?`;
const KINDS: readonly [RegExp, CitedKind][] = [
  [new RegExp(String.raw`${RANGE_END}(?:%|percent\b|per cent\b|pct\b)`, "i"), "percent"],
  [new RegExp(String.raw`${RANGE_END}(?:[x×](?![A-Za-z])|R\b|(?:[x×*]\s?)?ATRs?\b)`), "multiple"],
  [new RegExp(String.raw`${RANGE_END}pips?\b`, "i"), "pips"],
];
const TIMES = /^\s?times\b/i;

/** Words between a name and its value; `near` and `above` are missing, as a threshold may follow them. */
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

/** Characters before a number that may tell what it is. */
const LOOK_BACK = 48;

/** Every number of a text that claims a figure. */
export function citedNumbers(text: string): CitedNumber[] {
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
  return kind === "plain" && reading === null && unit === 1 && value <= LARGEST_COUNT;
}

function unitOf(digits: string): number {
  const [whole = "", decimals] = digits.split(".");
  if (decimals !== undefined) return 10 ** -decimals.length;
  const zeros = /0*$/.exec(whole)?.[0].length ?? 0;
  return 10 ** Math.max(Math.min(zeros, whole.length - MEANT_DIGITS), 0);
}
