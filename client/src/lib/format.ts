import { CONFIDENCE_LEVELS } from "@shared/contract/constants.ts";

const DATE_TIME = { dateStyle: "medium", timeStyle: "short" } as const;

/** A whole number, e.g. `12,345`. */
export const formatCount = numberFormat({});

/** A count with its noun, e.g. `1 signal`, `2,345 signals`. */
export const formatPlural = (number: number, noun: string): string =>
  `${formatCount(number)} ${noun}${number === 1 ? "" : "s"}`;

export const formatUsd = numberFormat({ style: "currency", currency: "USD" });

/** Below this many US dollars, cents are too coarse. */
const SMALL_USD = 0.1;

const smallDollars = numberFormat({
  style: "currency",
  currency: "USD",
  maximumFractionDigits: 4,
});

/** US dollars, with fractions of a cent where the amount is small. */
export const formatDollars = (usd: number): string =>
  usd > 0 && usd < SMALL_USD ? smallDollars(usd) : formatUsd(usd);

/** A position size; tiny fractions of a coin stay readable. */
export const formatUnits = numberFormat({ maximumFractionDigits: 8 });

const oneDecimal = numberFormat({ maximumFractionDigits: 1 });
const signed = { 0: signedFormat(0), 1: signedFormat(1), 2: signedFormat(2) } as const;

/** A signed change in percent, e.g. `+1.25%`. */
export const formatChange = (changePercent: number): string => `${signed[2](changePercent)}%`;

/** A result in R, e.g. `+0.12 R`; long ones with one decimal. */
export const formatR = (r: number): string => `${signed[Math.abs(r) < 10 ? 2 : 1](r)} R`;

/** A skill of at most 1, e.g. `+0.08`. */
export const formatSkill = (skill: number): string => signed[2](skill);

/** A difference of rates in whole percentage points, e.g. `+4`. */
export const formatRoundPoints = (difference: number): string => signed[0](difference * 100);

/** A rate of 0–1, e.g. `53.1%`. */
export const formatRate = numberFormat({ style: "percent", minimumFractionDigits: 1 });

/** A confidence of 0 to 100, e.g. `72.5%`. */
export const formatConfidence = (confidence: number): string => `${oneDecimal(confidence)}%`;

/** An ISO time in the reader's own time zone, e.g. `21 Nov 2025, 14:05`. */
export const formatDateTime = dateFormat(DATE_TIME);

/** An ISO time in UTC, e.g. `21 Nov 2025, 12:05 UTC`. */
export const formatUtc = (iso: string): string => `${utcDateTime(iso)} UTC`;

const utcDateTime = dateFormat({ ...DATE_TIME, timeZone: "UTC" });

/** The UTC day of an ISO time, e.g. `21 Nov 2025`. */
export const formatDay = dateFormat({ dateStyle: "medium", timeZone: "UTC" });

/** A file's size, e.g. `640 KB`, `1.4 MB`. */
export function formatBytes(bytes: number): string {
  const kilobytes = bytes / 1_024;
  if (kilobytes < 1_000) return `${Math.max(1, Math.round(kilobytes))} KB`;
  return `${oneDecimal(kilobytes / 1_024)} MB`;
}

/** A length of time in its two largest units, e.g. `2 h 05 min`, `45 s`, `3 d 4 h`. */
export function formatDuration(durationMs: number): string {
  const seconds = Math.max(0, Math.floor(durationMs / 1_000));
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  const days = Math.floor(hours / 24);
  if (days > 0) return `${days} d ${hours % 24} h`;
  if (hours > 0) return `${hours} h ${pad(minutes % 60)} min`;
  return minutes > 0 ? `${minutes} min ${pad(seconds % 60)} s` : `${seconds} s`;
}

const pad = (number: number): string => String(number).padStart(2, "0");

/** Time passed, as minutes and seconds, e.g. `1:07`. */
export function formatElapsed(elapsedMs: number): string {
  const seconds = Math.max(0, Math.floor(elapsedMs / 1_000));
  return `${Math.floor(seconds / 60)}:${pad(seconds % 60)}`;
}

type ConfidenceLevel = "high" | "medium" | "low";

/** Band of a confidence: high above 70, medium above 50, otherwise low. */
export function confidenceLevel(confidence: number): ConfidenceLevel {
  if (confidence > CONFIDENCE_LEVELS.high) return "high";
  if (confidence > CONFIDENCE_LEVELS.medium) return "medium";
  return "low";
}

/** An ISO time within a sentence, in the reader's own time zone: `14:05` today, and with its date on any other day. */
export function formatMoment(iso: string, now: Date): string {
  const isToday = new Date(iso).toDateString() === now.toDateString();
  return isToday ? timeOfDay(iso) : formatDateTime(iso);
}

const timeOfDay = dateFormat({ timeStyle: "short" });

// Browsers take long to make a formatter, so each is made when it is first needed.

function numberFormat(options: Intl.NumberFormatOptions): (number: number) => string {
  let format: Intl.NumberFormat | undefined;
  return (number) => {
    format ??= new Intl.NumberFormat("en-US", options);
    return format.format(number);
  };
}

/** Formats with a true minus sign, as wide as the plus. */
function signedFormat(digits: number): (number: number) => string {
  const range = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  const format = numberFormat({ ...range, signDisplay: "exceptZero" });
  return (number) => format(number).replace("-", "\u2212");
}

function dateFormat(options: Intl.DateTimeFormatOptions): (iso: string) => string {
  let format: Intl.DateTimeFormat | undefined;
  return (iso) => {
    format ??= new Intl.DateTimeFormat("en-GB", options);
    return format.format(new Date(iso));
  };
}
