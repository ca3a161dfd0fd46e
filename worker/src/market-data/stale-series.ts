import { TIMEFRAME_MS, type Timeframe } from "@shared/contract/candle.ts";
import { isOpen, nextOpen } from "@shared/domain/trading-hours.ts";
import { openingTime } from "./candles.ts";
import type { CandleSeries } from "./market-data.ts";

/** Just after a close an exchange may lack the newest candle, and in a quiet minute no one trades. */
const STOPPED_AFTER_CANDLES = 3;

/** Whether a series ends too early for `now`, considering trading hours and the provider's delay. */
export function isStale(
  series: Pick<CandleSeries, "candles" | "market">,
  { timeframe, now }: { timeframe: Timeframe; now: number },
): boolean {
  const last = series.candles.at(-1);
  if (!last) return true;
  const { hours, delayMs } = series.market ?? { hours: "always", delayMs: 0 };
  const until = now - delayMs;
  const lengthMs = TIMEFRAME_MS[timeframe];
  let missed = 0;
  let slot = last.time + lengthMs;
  while (missed < STOPPED_AFTER_CANDLES && slot + lengthMs <= until) {
    const opensAt = isOpen(hours, slot) ? slot : nextOpen(hours, slot);
    if (opensAt < slot + lengthMs) {
      missed += 1;
      slot += lengthMs;
    } else {
      slot = openingTime(opensAt, timeframe);
    }
  }
  return missed >= STOPPED_AFTER_CANDLES;
}
