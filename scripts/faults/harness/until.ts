import { setTimeout as delay } from "node:timers/promises";

const POLL_INTERVAL_MS = 50;

type Maybe<Found> = Found | undefined | null | false;

/**
 * Polls until `look` returns something else than undefined, null or false. What it throws counts as "not yet": the service
 * that it calls may have been killed.
 * @throws Error that names the condition after the time is over, caused by the last error of `look`
 */
export async function until<Found>(
  look: () => Promise<Maybe<Found>> | Maybe<Found>,
  { what, withinMs = 60_000 }: { what: string; withinMs?: number },
): Promise<Found> {
  const deadline = performance.now() + withinMs;
  let cause: unknown;
  do {
    try {
      const found = await look();
      if (found !== undefined && found !== null && found !== false) return found;
    } catch (error) {
      cause = error;
    }
    await delay(POLL_INTERVAL_MS);
  } while (performance.now() < deadline);
  throw new Error(`gave up after ${withinMs} ms waiting for ${what}`, { cause });
}
