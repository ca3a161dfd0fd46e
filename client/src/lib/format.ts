import { CONFIDENCE_LEVELS, PRICE_DECIMALS } from "@shared/contract/constants.ts";

const LOCALE = "en-GB";
const DATE_TIME = { dateStyle: "medium", timeStyle: "short" } as const;

// Browsers take long to make a formatter, so each is made when it is first needed.
const usd = once(() => new Intl.NumberFormat("en-US", { style: "currency", currency: "USD" }));
const units = once(() => new Intl.NumberFormat("en-US", { maximumFractionDigits: 8 }));
const percent = once(
  () =>
    new Intl.NumberFormat("en-US", {
      minimumFractionDigits: 2,
      maximumFractionDigits: 2,
      signDisplay: "exceptZero",
    }),
);
const oneDecimal = once(() => new Intl.NumberFormat("en-US", { maximumFractionDigits: 1 }));
const count = once(() => new Intl.NumberFormat("en-US"));
const dateTime = once(() => new Intl.DateTimeFormat(LOCALE, DATE_TIME));
const utcDateTime = once(() => new Intl.DateTimeFormat(LOCALE, { ...DATE_TIME, timeZone: "UTC" }));

/** A whole number, e.g. `12,345`. */
export const formatCount = (number: number): string => count().format(number);

/** A count with its noun, e.g. `1 signal`, `2,345 signals`. */
export const formatPlural = (number: number, noun: string): string =>
  `${formatCount(number)} ${noun}${number === 1 ? "" : "s"}`;

/** A price level, with the five decimals of the product's figures. */
export const formatPrice = (price: number): string => price.toFixed(PRICE_DECIMALS);

/** An amount of US dollars. */
export const formatUsd = (amount: number): string => usd().format(amount);

/** A position size; tiny fractions of a coin stay readable. */
export const formatUnits = (size: number): string => units().format(size);

/** A signed change in percent, e.g. `+1.25%`. */
export const formatChange = (changePercent: number): string =>
  `${percent().format(changePercent).replace("-", "\u2212")}%`;

/** A confidence of 0 to 100, e.g. `72.5%`. */
export const formatConfidence = (confidence: number): string =>
  `${oneDecimal().format(confidence)}%`;

/** A reward to risk ratio, e.g. `1 : 2.3`. */
export const formatRatio = (rewardToRisk: number): string =>
  `1 : ${oneDecimal().format(rewardToRisk)}`;

/** An ISO time in the reader's own time zone, e.g. `21 Nov 2025, 14:05`. */
export const formatDateTime = (iso: string): string => dateTime().format(new Date(iso));

/** An ISO time in UTC, e.g. `21 Nov 2025, 12:05 UTC`. */
export const formatUtc = (iso: string): string => `${utcDateTime().format(new Date(iso))} UTC`;

/** A file's size, e.g. `640 KB`, `1.4 MB`. */
export function formatBytes(bytes: number): string {
  const kilobytes = bytes / 1_024;
  if (kilobytes < 1_000) return `${Math.max(1, Math.round(kilobytes))} KB`;
  return `${oneDecimal().format(kilobytes / 1_024)} MB`;
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

/** Decimals that tell prices of this size apart on a chart's axis. */
export function axisDecimals(price: number): number {
  if (price >= 1_000) return 2;
  if (price >= 10) return 3;
  return 5;
}

const priceInText = once(
  () => new Intl.NumberFormat("en-US", { maximumFractionDigits: PRICE_DECIMALS }),
);
const timeOfDay = once(() => new Intl.DateTimeFormat("en-GB", { timeStyle: "short" }));
const dayAndTime = once(
  () => new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" }),
);

/** A price within a sentence, e.g. `113,900` or `1.16981`. */
export const formatPriceInText = (value: number): string => priceInText().format(value);

/** An ISO time within a sentence, in the reader's own time zone: `14:05` today, and with its date on any other day. */
export function formatMoment(iso: string, now: Date): string {
  const at = new Date(iso);
  return at.toDateString() === now.toDateString()
    ? timeOfDay().format(at)
    : dayAndTime().format(at);
}

/** A function that makes its value when it is first called, and gives the same one from then on. */
function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
