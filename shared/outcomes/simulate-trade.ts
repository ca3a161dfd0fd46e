import type { LedgerFigures } from "@shared/contract/ledger.ts";
import type { Candle, Timeframe } from "@shared/contract/market-data.ts";
import { validUntil } from "@shared/contract/signal.ts";
import { holdLimit } from "./hold-limit.ts";

/** A BUY or a SELL. Prices are in the quote currency, times in Unix ms. */
export interface Trade {
  symbol: string;
  timeframe: Timeframe;
  side: "BUY" | "SELL";
  entry: number;
  stopLoss: number;
  takeProfit: number;
  /** The last close when the signal was made. */
  price: number;
  createdAt: number;
  validUntil: number;
  /** Hold limit, including the candle of the fill. */
  holdCandles: number;
}

/** Candles of a shorter timeframe that make up one candle, oldest first. */
export interface CandleParts {
  timeframe: Timeframe;
  candles: Candle[];
}

/** The finest candles that make up `candle`, or null if there are none. */
export type FinerCandles = (candle: Candle, timeframe: Timeframe) => Promise<CandleParts | null>;

export type EntryOrder = "market" | "limit" | "stop";

/** A trade as a BUY. For a SELL every price is negated, so that one set of rules applies to both sides. */
export interface LongTrade extends Omit<Trade, "side"> {
  order: EntryOrder;
}

type Prices = Pick<Candle, "open" | "high" | "low" | "close">;

/** `candle` as a long trade sees it: upside down for a SELL. */
export function asLong(side: Trade["side"], { open, high, low, close }: Candle): Prices {
  if (side === "BUY") return { open, high, low, close };
  return { open: -open, high: -low, low: -high, close: -close };
}

/** State of a long trade. Times are opening times of candles in Unix ms. */
export type TradeState = { phase: "waiting" } | OpenTrade;

export interface OpenTrade {
  phase: "open";
  fill: number;
  filledAt: number;
  best: number;
  worst: number;
}

export interface Exit extends Omit<OpenTrade, "phase"> {
  phase: "closed";
  reason: "target" | "stop" | "both";
  exit: number;
  exitedAt: number;
}

type TradeLevels = Pick<LongTrade, "entry" | "stopLoss" | "takeProfit" | "order">;

/** Result of a candle; `unclear` if only finer candles can decide. */
type Step = TradeState | Exit | { phase: "unclear" };

interface StepInput {
  state: TradeState;
  trade: TradeLevels;
  candle: Prices & { time: number };
  /** No finer candles exist: doubt counts against the trade. */
  isFinest: boolean;
}

const UNCLEAR = { phase: "unclear" } as const;

/**
 * Applies one candle. Entry and target need a trade beyond their price, since the order's place in the queue is not
 * known; a touch of the stop is enough. A candle that opens beyond a price is executed at its open.
 */
export function applyCandle(input: StepInput): Step {
  const { state, candle } = input;
  if (state.phase === "open") return stepOpen(input, state);
  const { order, entry, takeProfit } = input.trade;
  const { time: filledAt, open: fill, high, low } = candle;
  if (order === "market" || (order === "limit" ? fill < entry : fill > entry)) {
    // An open beyond the target is not filled.
    if (fill >= takeProfit) return state;
    return stepOpen(input, { phase: "open", fill, filledAt, best: fill, worst: fill });
  }
  const isPassed = order === "limit" ? low < entry : high > entry;
  return isPassed ? stepFilledWithin(input, entry) : state;
}

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
 * The entry was filled within the candle. Prices beyond the entry came after the fill: the stop of a limit order, the
 * target of a stop order. Prices on the other side did for certain only if the candle closed there.
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

function reachedAfterFill(at: TradeLevels & Reached & Pick<Prices, "close">): {
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

function reach(trade: TradeLevels, { high, low }: Prices): Reached {
  return { isStopped: low <= trade.stopLoss, isPaid: high > trade.takeProfit };
}

/** Closes the trade. Only the exit counts in its favour in the last candle. */
function ended(
  open: OpenTrade,
  end: Pick<Exit, "reason" | "exit"> & { candle: { time: number } },
): Exit {
  const { reason, exit, candle } = end;
  return {
    ...open,
    phase: "closed",
    reason,
    exit,
    exitedAt: candle.time,
    best: Math.max(open.best, exit),
    worst: Math.min(open.worst, exit),
  };
}

/** The trade of an analysis in the ledger; null for a WAIT. */
export function tradeOfFigures(figures: LedgerFigures): Trade | null {
  const { symbol, timeframe, final_signal: side, entry, stop_loss, take_profit } = figures;
  if (side === "WAIT" || entry === null || stop_loss === null || take_profit === null) return null;
  const { valid_until, suggested_hold, hold_candles } = figures;
  const lastCandleAt = Date.parse(figures.last_candle_at ?? figures.created_at);
  return {
    symbol,
    timeframe,
    side,
    entry,
    stopLoss: stop_loss,
    takeProfit: take_profit,
    price: figures.price ?? entry,
    // The signal was not available earlier.
    createdAt: Date.parse(figures.finished_at),
    validUntil: valid_until ? Date.parse(valid_until) : validUntil({ timeframe, lastCandleAt }),
    holdCandles: holdLimit({
      candles: hold_candles,
      text: suggested_hold,
      timeframe,
      from: lastCandleAt,
    }),
  };
}
