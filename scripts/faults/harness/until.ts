import { setTimeout as delay } from "node:timers/promises";

const LOOK_EVERY_MS = 50;

/** How long to wait for a condition, and what to call it if it never comes. */
export interface Patience {
  what: string;
  withinMs?: number;
}

const DEFAULT_WITHIN_MS = 60_000;

/**
 * Looks again and again until `look` gives something else than undefined, null or false. What it throws counts as "not
 * yet": the parts that it asks may be dead at the moment.
 * @throws Error naming the condition once the time is over, with the last thing that `look` threw as its cause
 */
export async function until<Found>(
  look: () => Promise<Found | undefined | null | false> | Found | undefined | null | false,
  { what, withinMs = DEFAULT_WITHIN_MS }: Patience,
): Promise<Found> {
  const giveUpAt = performance.now() + withinMs;
  let cause: unknown;
  do {
    try {
      const found = await look();
      if (found !== undefined && found !== null && found !== false) return found;
    } catch (error) {
      cause = error;
    }
    await delay(LOOK_EVERY_MS);
  } while (performance.now() < giveUpAt);
  throw new Error(`waited ${withinMs} ms in vain for ${what}`, { cause });
}
