import type { TradingHours } from "@shared/contract/instruments.ts";
import type { Candle } from "@shared/contract/market-data.ts";
import { isOpen, nextOpen } from "@shared/domain/trading-hours.ts";
import { isTraded } from "@shared/outcomes/flat-candles.ts";
import { LRUCache } from "lru-cache";

/** A candle that lacks in one answer may be in the next. */
export const CONFIRM_GAP_MS = 20_000;
const MAX_GAPS = 50_000;

interface Slots {
  /** Of the market and timeframe. */
  key: string;
  lengthMs: number;
  hours: TradingHours;
}

interface Span {
  from: number;
  until: number;
  /** Unix ms; infinite if nothing can come any more. */
  now: number;
}

/**
 * Remembers what providers did not show. It counts as missing once a second answer, a while later, does not show it
 * either, and no answer between them did.
 */
export class GapRegister {
  readonly #firstMissed = new LRUCache<string, number>({ max: MAX_GAPS });

  /** Whether it was missed before; otherwise remembers it. */
  isConfirmed(what: string, now: number): boolean {
    if (now === Number.POSITIVE_INFINITY) return true;
    const since = this.#firstMissed.get(what) ?? now;
    this.#firstMissed.set(what, since);
    return now - since >= CONFIRM_GAP_MS;
  }

  /** Opening time of the first candle that is missing or empty, and may still come; null if there is none. */
  firstDoubtful(
    candles: readonly Candle[],
    { key, lengthMs, hours }: Slots,
    { from, until, now }: Span,
  ): number | null {
    const traded = new Set(candles.filter(isTraded).map(({ time }) => time));
    let first: number | null = null;
    for (let slot = from; slot < until; slot += lengthMs) {
      if (traded.has(slot)) this.#firstMissed.delete(`${key} ${slot}`);
      else if (!isOpen(hours, slot)) {
        const opensIn = Math.floor(nextOpen(hours, slot) / lengthMs) * lengthMs;
        slot = Math.max(opensIn - lengthMs, slot);
      } else if (!this.isConfirmed(`${key} ${slot}`, now)) {
        first ??= slot;
      }
    }
    return first;
  }
}
