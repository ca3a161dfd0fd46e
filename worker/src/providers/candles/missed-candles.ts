import { type Candle, TIMEFRAME_MS, type Timeframe } from "@shared/contract/candle.ts";
import type { TradingHours } from "@shared/contract/instruments.ts";
import { isOpen, nextOpen } from "@shared/node/trading-hours.ts";
import type { CandleSeries } from "../market-data.ts";
import { openingTime } from "./candle-grid.ts";

/**
 * Candles of market time without news after which a feed counts as stopped: just after a close an exchange may still
 * lack the newest, and in a quiet minute nobody trades.
 */
const STOPPED_AFTER_CANDLES = 3;

/**
 * Whether a series ends earlier than it should at `now`, in Unix milliseconds. Hours for which its market was closed,
 * and the delay with which its provider publishes, are allowed for.
 */
export function isBehind(
  series: Pick<CandleSeries, "candles" | "market">,
  { timeframe, now }: { timeframe: Timeframe; now: number },
): boolean {
  const last = series.candles.at(-1);
  if (!last) return true;
  const { hours, delayMs } = series.market ?? { hours: "always", delayMs: 0 };
  return hasStopped({ last, timeframe, hours, until: now - delayMs });
}

function hasStopped(feed: {
  last: Candle;
  timeframe: Timeframe;
  hours: TradingHours;
  until: number;
}): boolean {
  const { last, timeframe, hours, until } = feed;
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
