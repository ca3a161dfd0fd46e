import { DAY_MS, HOUR_MS, MINUTE_MS } from "@shared/contract/constants.ts";
import { z } from "zod";

/** For how long, or until when, a service wants to be left alone, as far as it says so. */
export interface PauseDemand {
  retryAfterMs?: number | undefined;
  /** Unix milliseconds by the clock of the service. */
  retryAt?: number | undefined;
}

/** Of a page that a proxy shows instead of an answer, the rest says nothing. */
const MAX_READ_LENGTH = 4_000;

/** Words by which services say that it is about a limit, where the status does not. */
const LIMIT_WORDS =
  /too (?:many|frequent)|rate.?limit|limit exceeded|(?:ip|address|you are|been) (?:\S+ )?banned|banned until|lockout/i;

export const speaksOfLimit = (text: string): boolean =>
  LIMIT_WORDS.test(text.slice(0, MAX_READ_LENGTH));

/** Reads `Retry-After`, and the time that the message names. The longer one counts. */
export function readPauseDemand(text: string, headers = new Headers()): PauseDemand {
  const message = text.slice(0, MAX_READ_LENGTH);
  const header = readRetryAfter(headers);
  const waits = [header.retryAfterMs, readWait(message)].filter((wait) => wait !== undefined);
  const moments = [header.retryAt, readMoment(message)].filter((moment) => moment !== undefined);
  return {
    ...(waits.length > 0 && { retryAfterMs: Math.max(...waits) }),
    ...(moments.length > 0 && { retryAt: Math.max(...moments) }),
  };
}

const secondsSchema = z
  .string()
  .trim()
  .regex(/^\d+(\.\d+)?$/)
  .transform(Number);

/** Seconds, or a date: compared with the date of the response, it needs no clock of ours. */
export function readRetryAfter(headers: Headers): PauseDemand {
  const value = headers.get("retry-after") ?? "";
  const { data: seconds } = secondsSchema.safeParse(value);
  if (seconds !== undefined) return { retryAfterMs: seconds * 1_000 };
  const retryAt = Date.parse(value);
  if (Number.isNaN(retryAt)) return {};
  const sentAt = Date.parse(headers.get("date") ?? "");
  return Number.isNaN(sentAt) ? { retryAt } : { retryAfterMs: Math.max(0, retryAt - sentAt) };
}

const UNIX_TIME = /\b(?:until|till|after|before|at)\b\D{0,20}(\d{10}|\d{13}|\d{16})\b/i;
const ISO_TIME =
  /\b(?:until|till|after|before|at)\W{1,5}(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)\s?(Z|UTC|[+-]\d\d:?\d\d)?/i;

const MILLISECONDS_DIGITS = 13;

/** `IP banned until 1700000000000`, in seconds to microseconds, or as a date. */
function readMoment(text: string): number | undefined {
  const [, digits] = UNIX_TIME.exec(text) ?? [];
  if (digits) return Number(digits) * 10 ** (MILLISECONDS_DIGITS - digits.length);
  const [, date, time, zone = "Z"] = ISO_TIME.exec(text) ?? [];
  const moment = Date.parse(`${date}T${time}${zone === "UTC" ? "Z" : zone}`);
  return Number.isNaN(moment) ? undefined : moment;
}

const WAIT =
  /\b(?:in|after|wait|for|least|within)\s(\d+(?:\.\d+)?)\s?(ms|millis\w*|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?)\b/i;
const FIELD = /"?retry[-_ ]?after"?\s*[:=]\s*"?(\d{1,9}(?:\.\d+)?)\b/i;

const UNIT_MS: Readonly<Record<string, number>> = {
  s: 1_000,
  m: MINUTE_MS,
  h: HOUR_MS,
  d: DAY_MS,
};

/** `try again in 5 minutes`, `"retry_after": 30`. */
function readWait(text: string): number | undefined {
  const [, count, unit = ""] = WAIT.exec(text) ?? [];
  if (count) return Number(count) * (/^(?:ms|millis)/i.test(unit) ? 1 : unitMs(unit));
  const [, seconds] = FIELD.exec(text) ?? [];
  return seconds === undefined ? undefined : Number(seconds) * 1_000;
}

const unitMs = (unit: string): number => UNIT_MS[unit.charAt(0).toLowerCase()] ?? 1_000;
