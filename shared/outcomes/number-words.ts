const SMALL = [
  ...["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"],
  ...["eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen"],
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

/** Numbers that are other words, before a unit of time or a candle. */
const PHRASES: readonly (readonly [RegExp, string])[] = [
  [/\bhalf an? /g, "0.5 "],
  [/\b(?:a )?couple of /g, "2 "],
  [/\b(?:a )?few /g, "3 "],
  [/\b(?:an?|a single|single) (?=(?:full )?(?:minute|hour|day|week|month|candle|bar)\b)/g, "1 "],
];

/** Writes numbers that are given in words, up to 99, in digits: `twenty-four hours` is `24 hours`. Lower case only. */
export function readNumberWords(text: string): string {
  const phrased = PHRASES.reduce(
    (words, [pattern, digits]) => words.replaceAll(pattern, digits),
    text,
  );
  return phrased.replaceAll(WORD_NUMBER, (words) => String(valueInDigits(words)));
}

const valueInDigits = (words: string): number =>
  words.split(/[\s-]/).reduce((sum, word) => sum + (VALUES.get(word) ?? 0), 0);
