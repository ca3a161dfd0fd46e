import { TIMEFRAME_MS, type Timeframe } from "@shared/contract/candle.ts";
import type { TradingHours } from "@shared/contract/instruments.ts";
import { isOpen, nextOpen } from "@shared/node/trading-hours.ts";

/** Opening times from `from` up to `until`, on the grid, of the candles within which a market trades at all. */
export function tradedSlots(options: {
  hours: TradingHours;
  timeframe: Timeframe;
  from: number;
  until: number;
}): number[] {
  const { hours, timeframe, from, until } = options;
  const lengthMs = TIMEFRAME_MS[timeframe];
  const onGrid = (time: number) => Math.floor(time / lengthMs) * lengthMs;
  const slots: number[] = [];
  let slot = Math.ceil(from / lengthMs) * lengthMs;
  while (slot <= until) {
    const opensAt = isOpen(hours, slot) ? slot : nextOpen(hours, slot);
    if (opensAt < slot + lengthMs) {
      if (opensAt <= until) slots.push(slot);
      slot += lengthMs;
    } else {
      slot = onGrid(opensAt);
    }
  }
  return slots;
}
