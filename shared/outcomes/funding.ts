import { HOUR_MS } from "@shared/contract/constants.ts";

/**
 * Funding of a perpetual future: at each funding time, from midnight UTC on every so many hours, long positions pay this
 * percent of their size to short ones; if it is negative, short ones pay.
 */
export interface Funding {
  percent: number;
  hours: number;
}

/** Most exchanges pay at 0:00, 8:00 and 16:00 UTC. */
export const USUAL_FUNDING_HOURS = 8;

/** The funding times in which a position had been opened before and was not closed yet. Times are Unix milliseconds. */
export function countFundings(
  { enteredAt, exitedAt }: { enteredAt: number; exitedAt: number },
  hours: number,
): number {
  const intervalMs = hours * HOUR_MS;
  return Math.floor(exitedAt / intervalMs) - Math.floor(enteredAt / intervalMs);
}
