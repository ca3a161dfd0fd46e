import type { NormalTrade, Prices } from "./trade.ts";

/** How far a trade has come. Prices are those of a normal trade, times are opening times of candles in Unix ms. */
export type Walk = { phase: "waiting" } | OpenTrade;

export interface OpenTrade {
  phase: "open";
  fill: number;
  filledAt: number;
  /** Best and worst price since the fill. */
  best: number;
  worst: number;
}

/** The end of a trade at its stop or its target. */
export interface Exit extends Omit<OpenTrade, "phase"> {
  phase: "over";
  reason: "target" | "stop" | "both";
  exit: number;
  exitedAt: number;
}

export type WalkTrade = Pick<NormalTrade, "entry" | "stopLoss" | "takeProfit" | "order">;

/** What a candle makes of a trade; `unclear` where only its course could tell. */
export type Step = Walk | Exit | { phase: "unclear" };

interface StepInput {
  walk: Walk;
  trade: WalkTrade;
  candle: Prices & { time: number };
  /** No finer candles can be had: what is unclear is decided against the trade. */
  isFinest: boolean;
}

const UNCLEAR = { phase: "unclear" } as const;

/**
 * One candle further. The entry and the target need a trade beyond their price: who is first in the queue at the exact
 * price is not known. A touch of the stop is enough. A candle that opens beyond a price trades at its open.
 */
export function stepCandle(input: StepInput): Step {
  const { walk, candle } = input;
  if (walk.phase === "open") return stepOpen(input, walk);
  const fill = fillOf(input);
  if (fill === null) return walk;
  if (fill === candle.open) {
    const opened = { phase: "open", fill, filledAt: candle.time, best: fill, worst: fill } as const;
    return stepOpen(input, opened);
  }
  return stepFilledWithin(input, fill);
}

/** Price at which the entry is taken in this candle, or null. An open beyond the target leaves nothing to be had. */
function fillOf({ trade, candle }: StepInput): number | null {
  const { order, entry, takeProfit } = trade;
  const { open, high, low } = candle;
  const isPassedAtOpen = order === "market" || (order === "limit" ? open < entry : open > entry);
  if (isPassedAtOpen) return open < takeProfit ? open : null;
  const isPassed = order === "limit" ? low < entry : high > entry;
  return isPassed ? entry : null;
}

/** A candle that the trade is open in from its first price on. */
function stepOpen({ trade, candle, isFinest }: StepInput, open: OpenTrade): Step {
  const { stopLoss, takeProfit } = trade;
  if (candle.open <= stopLoss) return ended(open, { reason: "stop", exit: candle.open, candle });
  if (candle.open > takeProfit) return ended(open, { reason: "target", exit: candle.open, candle });
  const { isStopped, isPaid } = reach(trade, candle);
  if (isStopped && isPaid && !isFinest) return UNCLEAR;
  if (isStopped) {
    return ended(open, { reason: isPaid ? "both" : "stop", exit: stopLoss, candle });
  }
  const seen = { ...open, worst: Math.min(open.worst, candle.low) };
  if (isPaid) return ended(seen, { reason: "target", exit: takeProfit, candle });
  return { ...seen, best: Math.max(open.best, candle.high) };
}

/**
 * The candle in which the price came to the entry. What lies beyond the entry was reached after it: the stop of a limit
 * order, the target of a stop order. What lies on the side that the price came from was reached after it for certain
 * only if the candle closed there.
 */
function stepFilledWithin({ trade, candle, isFinest }: StepInput, fill: number): Step {
  const { stopLoss, takeProfit } = trade;
  const reached = reach(trade, candle);
  const { isStopped, isPaid } = reached;
  const sure = reachedAfterFill({ ...trade, ...reached, close: candle.close });
  if (!sure.isCertain && !isFinest) return UNCLEAR;
  const worst = isStopped ? fill : Math.min(fill, candle.low);
  const open: OpenTrade = { phase: "open", fill, filledAt: candle.time, best: fill, worst };
  if (isStopped) return ended(open, { reason: isPaid ? "both" : "stop", exit: stopLoss, candle });
  if (sure.isPaid) return ended(open, { reason: "target", exit: takeProfit, candle });
  return { ...open, best: Math.max(fill, candle.close) };
}

/** What of stop and target was reached after the fill beyond doubt, and whether that leaves any doubt. */
function reachedAfterFill(at: WalkTrade & Reached & Pick<Prices, "close">): {
  isPaid: boolean;
  isCertain: boolean;
} {
  const { order, stopLoss, takeProfit, isStopped, isPaid, close } = at;
  const stopIsSure = order === "limit" || close <= stopLoss;
  const targetIsSure = order === "stop" || close > takeProfit;
  const isCertain =
    !(isStopped && isPaid) && (stopIsSure || !isStopped) && (targetIsSure || !isPaid);
  return { isPaid: isPaid && targetIsSure, isCertain };
}

interface Reached {
  isStopped: boolean;
  isPaid: boolean;
}

function reach(trade: WalkTrade, { high, low }: Prices): Reached {
  return { isStopped: low <= trade.stopLoss, isPaid: high > trade.takeProfit };
}

/** The trade is over; of the candle that ends it, only what speaks against the trade counts besides the exit itself. */
function ended(
  open: OpenTrade,
  end: Pick<Exit, "reason" | "exit"> & { candle: { time: number } },
): Exit {
  const { reason, exit, candle } = end;
  return {
    ...open,
    phase: "over",
    reason,
    exit,
    exitedAt: candle.time,
    best: Math.max(open.best, exit),
    worst: Math.min(open.worst, exit),
  };
}
