import type { Advice } from "../advice.ts";
import type { MarketBrief } from "../market-brief.ts";
import { type CitedNumber, citedNumbers } from "./cited-numbers.ts";
import { type KnownFigures, knownFigures } from "./known-figures.ts";

/** More of them tell a trader no more: these words are not to be relied on. */
const MOST_WARNINGS = 3;

/** Steps between price units and pips: a pip is ten ticks, as brokers quote one decimal more. */
const TICKS_PER_PIP = 10;

/** A reading further than this from the indicator, as a factor, is taken for another number in the same sentence. */
const SAME_READING = { RSI: 100, average: 1.5 } as const;

/** Share of a value by which binary arithmetic may miss it. */
const RELATIVE_TOLERANCE = 1e-9;

/**
 * Compares every number that an analyst's rationale and key evidence cite with what the analyst was shown, with its own
 * levels, and with what follows from both. `ownFigures` are those that it worked out itself by known rules.
 * @returns a sentence for each that is found nowhere, three at most
 */
export function groundingWarnings(options: {
  brief: MarketBrief;
  advice: Advice;
  ownFigures?: readonly number[] | undefined;
}): string[] {
  const { brief, advice, ownFigures = [] } = options;
  const texts = [
    { name: "rationale", cited: citedNumbers(advice.rationale) },
    ...advice.key_evidence.map((text) => ({ name: "key evidence", cited: citedNumbers(text) })),
  ].filter(({ cited }) => cited.length > 0);
  if (texts.length === 0) return [];
  const known = knownFigures({ brief, advice, ownFigures });
  const warnings = texts.flatMap(({ name, cited }) =>
    unfounded(cited, known).map(
      ({ text }) => `The ${name} cites ${text}, which is not in the market data.`,
    ),
  );
  return [...new Set(warnings)].slice(0, MOST_WARNINGS);
}

function unfounded(cited: readonly CitedNumber[], known: KnownFigures): CitedNumber[] {
  const proven = cited.filter((number) => isProven(number, known));
  return cited.filter((number) => !proven.includes(number) && !followsFrom(number, proven));
}

/** A value rounded, or cut off, to the digits that are shown reads as cited. */
function reads({ value, unit, isNegative }: CitedNumber, actual: number): boolean {
  if (isNegative && actual > 0) return false;
  const excess = Math.abs(actual) - value;
  const slack = RELATIVE_TOLERANCE * Math.max(value, 1e-6);
  return excess >= -unit / 2 - slack && excess < unit + slack;
}

function isProven(cited: CitedNumber, known: KnownFigures): boolean {
  const reading = readingFor(cited, known);
  if (reading !== undefined) return reads(cited, reading);
  // Without a trade there is no reward to risk; what is said of one is no figure of the market.
  if (cited.reading === "reward to risk" && known.readings["reward to risk"] === undefined)
    return true;
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

/** The indicator's value where the words say that the number is one; undefined where it may be anything. */
function readingFor(
  { reading, kind, value }: CitedNumber,
  known: KnownFigures,
): number | undefined {
  if (reading === null || kind === "percent" || kind === "pips") return undefined;
  const actual = known.readings[reading];
  if (actual === undefined) return undefined;
  if (reading === "reward to risk") return actual;
  if (kind === "multiple") return undefined;
  if (reading === "RSI") return value <= SAME_READING.RSI ? actual : undefined;
  const factor = Math.max(value / actual, actual / value);
  return factor <= SAME_READING.average ? actual : undefined;
}

/** Two digits, or a third that is 5: traders watch 110,000, 115,000 or 1.15 though no candle closed there. */
function isRoundLevel({ value }: CitedNumber, { lowest, highest }: KnownFigures): boolean {
  if (value < lowest || value > highest) return false;
  const step = 10 ** (Math.floor(Math.log10(value)) - 1) / 2;
  const steps = value / step;
  return Math.abs(steps - Math.round(steps)) < RELATIVE_TOLERANCE * steps;
}

/** A distance, a percentage or a ratio of two other numbers in the same text that are proven. */
function followsFrom(cited: CitedNumber, proven: readonly CitedNumber[]): boolean {
  const plain = proven.filter(({ kind }) => kind === "plain");
  return plain.some((a) =>
    plain.some((b) => {
      if (a.value >= b.value) return false;
      // Each of them may be off by what its last digit hides.
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
