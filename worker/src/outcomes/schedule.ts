import { TIMEFRAME_MS, type Timeframe } from "@shared/contract/candle.ts";

/** A candle is looked for this long after its close: providers need a moment. */
const SETTLE_MS = 2_000;
/** How soon a candle that is not there yet is looked for again, at first and at last, as when a market is closed. */
const LATE_MS = { min: 15_000, max: 60_000 } as const;
/** How long a market that cannot be read is left alone, at first and at last. */
const BACKOFF_MS = { min: 15_000, max: 300_000 } as const;

/** When to look at a signal again, in Unix ms; `lastClose` is the close of the market's newest candle. */
export function nextLook(at: { timeframe: Timeframe; lastClose: number; now: number }): number {
  const { timeframe, lastClose, now } = at;
  const lengthMs = TIMEFRAME_MS[timeframe];
  const dueClose = Math.floor(now / lengthMs) * lengthMs;
  const afterNext = dueClose + lengthMs + SETTLE_MS;
  if (lastClose >= dueClose) return afterNext;
  const waitMs = Math.min(Math.max((now - dueClose) / 2, LATE_MS.min), LATE_MS.max);
  return Math.min(now + waitMs, afterNext);
}

/** When to look again at something that failed for once. */
export const soon = (now: number): number => now + BACKOFF_MS.min;

/** Leaves markets that fail alone, each for itself and ever longer. */
export class MarketBackoff {
  readonly #failures = new Map<string, number>();

  /** Notes a failure; gives the time from which the market may be tried again, in Unix ms. */
  failed(market: string, now: number): number {
    const failures = this.#failures.get(market) ?? 0;
    this.#failures.set(market, failures + 1);
    return now + Math.min(BACKOFF_MS.min * 2 ** failures, BACKOFF_MS.max);
  }

  succeeded(market: string): void {
    this.#failures.delete(market);
  }
}
