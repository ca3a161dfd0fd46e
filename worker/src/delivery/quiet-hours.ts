import { tzOffset } from "@date-fns/tz";
import { DAY_MS, MINUTE_MS } from "@shared/contract/durations.ts";
import type { UserRecord } from "@shared/database/models/user.ts";

/** When the quiet hours end in which `at` is; null if it is in none. */
export function quietUntil(
  { start, end, timeZone }: NonNullable<UserRecord["quietHours"]>,
  at: Date,
): Date | null {
  const localMs = at.getTime() + offsetMs(timeZone, at);
  const sinceMidnightMs = localMs - Math.floor(localMs / DAY_MS) * DAY_MS;
  const sinceStartMs = (sinceMidnightMs - timeOfDayMs(start) + DAY_MS) % DAY_MS;
  const lengthMs = (timeOfDayMs(end) - timeOfDayMs(start) + DAY_MS) % DAY_MS;
  if (sinceStartMs >= lengthMs) return null;
  const localEndMs = localMs - sinceStartMs + lengthMs;
  const guess = new Date(localEndMs - offsetMs(timeZone, at));
  // The clocks may change before the end.
  return new Date(localEndMs - offsetMs(timeZone, guess));
}

const offsetMs = (timeZone: string, at: Date): number => tzOffset(timeZone, at) * MINUTE_MS;

function timeOfDayMs(text: string): number {
  const [hours, minutes] = text.split(":").map(Number);
  return ((hours ?? 0) * 60 + (minutes ?? 0)) * MINUTE_MS;
}
