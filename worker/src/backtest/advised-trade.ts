import { TIMEFRAME_MS, type Timeframe } from "@shared/contract/candle.ts";
import { type Analysis, validUntil } from "@shared/contract/signal.ts";
import { holdLimit } from "@shared/outcomes/hold-limit.ts";
import type { Trade } from "@shared/outcomes/simulate-trade.ts";
import { type BacktestRange, candleAt, closeOf } from "./range.ts";

export function advisedTrade(options: {
  course: BacktestRange;
  bar: number;
  analysis: Analysis;
}): Trade | null {
  const { course, bar, analysis } = options;
  const { final_signal: side, entry, stop_loss: stopLoss, take_profit: takeProfit } = analysis;
  if (side === "WAIT" || entry === null || stopLoss === null || takeProfit === null) return null;
  const trade = tradeAt(course, bar);
  return {
    ...trade,
    side,
    entry,
    stopLoss,
    takeProfit,
    validUntil: analysis.valid_until ? Date.parse(analysis.valid_until) : trade.validUntil,
    holdCandles: holdLimit({
      candles: analysis.hold_candles ?? null,
      text: analysis.suggested_hold,
      timeframe: course.timeframe,
      from: trade.createdAt,
    }),
  };
}

/** Distances from the last close in ATR(14), positive towards the target. */
export interface LevelsInAtr {
  entryAtr: number;
  stopAtr: number;
  targetAtr: number;
  validCandles: number;
  holdCandles: number;
}

export function geometryOf(trade: Trade, atr: number): LevelsInAtr {
  const sign = trade.side === "BUY" ? 1 : -1;
  const inAtr = (level: number) => (sign * (level - trade.price)) / atr;
  return {
    entryAtr: inAtr(trade.entry),
    stopAtr: inAtr(trade.stopLoss),
    targetAtr: inAtr(trade.takeProfit),
    validCandles: candlesBetween(trade),
    holdCandles: trade.holdCandles,
  };
}

/** Null where a level would not be a positive price. */
export function placeTrade(options: {
  course: BacktestRange;
  bar: number;
  side: Trade["side"];
  geometry: LevelsInAtr;
  atr: number;
}): Trade | null {
  const { course, bar, side, geometry, atr } = options;
  const trade = tradeAt(course, bar);
  const sign = side === "BUY" ? 1 : -1;
  const level = (distanceAtr: number) => trade.price + sign * distanceAtr * atr;
  const [entry, stopLoss, takeProfit] = [
    level(geometry.entryAtr),
    level(geometry.stopAtr),
    level(geometry.targetAtr),
  ];
  if (Math.min(entry, stopLoss, takeProfit) <= 0) return null;
  const validMs = geometry.validCandles * TIMEFRAME_MS[course.timeframe];
  return {
    ...trade,
    side,
    entry,
    stopLoss,
    takeProfit,
    validUntil: trade.createdAt + validMs,
    holdCandles: geometry.holdCandles,
  };
}

function tradeAt(
  course: BacktestRange,
  bar: number,
): Pick<Trade, "symbol" | "timeframe" | "price" | "createdAt" | "validUntil"> {
  const { symbol, timeframe } = course;
  const createdAt = closeOf(course, bar);
  return {
    symbol,
    timeframe,
    price: candleAt(course, bar).close,
    createdAt,
    validUntil: validUntil({ timeframe, lastCandleAt: createdAt }),
  };
}

const candlesBetween = ({
  validUntil: until,
  createdAt,
  timeframe,
}: {
  validUntil: number;
  createdAt: number;
  timeframe: Timeframe;
}): number => (until - createdAt) / TIMEFRAME_MS[timeframe];
