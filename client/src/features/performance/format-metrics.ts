const LOCALE = "en-US";
const percent = new Intl.NumberFormat(LOCALE, {
  style: "percent",
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
});
const signed = (fractionDigits: number) =>
  new Intl.NumberFormat(LOCALE, {
    minimumFractionDigits: fractionDigits,
    maximumFractionDigits: fractionDigits,
    signDisplay: "exceptZero",
  });
const noneSigned = signed(0);
const oneSigned = signed(1);
const twoSigned = signed(2);
const day = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeZone: "UTC" });

/** Uses a true minus sign, as wide as the plus. */
const withMinus = (text: string): string => text.replace("-", "\u2212");

/** Formats a rate of 0–1, e.g. `53.1%`. */
export const formatRate = (rate: number): string => percent.format(rate);

/** Formats a rate in whole percent without the sign. */
export const formatRound = (rate: number): string => `${Math.round(rate * 100)}`;

/** Formats a difference of rates in whole percentage points. */
export const formatRoundPoints = (difference: number): string =>
  withMinus(noneSigned.format(difference * 100));

/** Formats a result in R, e.g. `+0.12 R`; long ones with one decimal. */
export const formatR = (r: number): string =>
  `${withMinus((Math.abs(r) < 10 ? twoSigned : oneSigned).format(r))} R`;

export const formatScore = (score: number): string => score.toFixed(3);

/** Formats the UTC day of a time, e.g. `21 Nov 2025`. */
export const formatDay = (iso: string): string => day.format(new Date(iso));
