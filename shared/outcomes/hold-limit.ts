import { TIMEFRAME_MS, type Timeframe } from "@shared/contract/candle.ts";
import { HOLD_CANDLES } from "@shared/contract/constants.ts";
import { parseHoldText } from "./parse-hold-text.ts";

/** What an analyst says of how long a trade is held. */
interface StatedHold {
  /** As a number of candles; null if the analyst gave none. */
  candles: number | null;
  /** In words, read only without a number. */
  text: string;
  timeframe: Timeframe;
  /** When the trade is made, Unix ms; "until Friday" counts from here. */
  from: number;
}

/**
 * Hold limit of a trade: the number of candles of `timeframe`, 1 to 480, after which it is closed. It is the analyst's
 * number, rounded up; otherwise what its words say; otherwise 24.
 */
export function holdLimit({ candles, text, timeframe, from }: StatedHold): number {
  if (candles !== null && candles > 0) return withinLimits(candles);
  const hold = parseHoldText(text, from);
  if (hold === null) return HOLD_CANDLES.default;
  return withinLimits("candles" in hold ? hold.candles : hold.durationMs / TIMEFRAME_MS[timeframe]);
}

const withinLimits = (candles: number): number =>
  Math.min(Math.max(Math.ceil(candles), HOLD_CANDLES.min), HOLD_CANDLES.max);
