import type { Judgement } from "@shared/contract/judgement.ts";
import { type TradingCosts, tradeCost } from "@shared/contract/trading-costs.ts";
import type { Trade } from "./trade.ts";
import type { Exit, OpenTrade, Walk } from "./walk.ts";

/** Decimals of an R multiple; more say nothing. */
const R_DECIMALS = 4;
/** Significant digits of a price: more than any market quotes, fewer than binary noise has. */
const PRICE_DIGITS = 12;

interface Decided {
  trade: Trade;
  walk: Walk | Exit;
  /** Close of the candle that decides, as the market quotes it. */
  heldTo: number;
  /** Unix ms. */
  resolvedAt: number;
  costs: TradingCosts;
}

/** What is said of a trade that has come to its end. */
export function composeJudgement(decided: Decided): Judgement {
  const { walk, trade, heldTo, resolvedAt, costs } = decided;
  const resolved_at = isoTime(resolvedAt);
  if (walk.phase === "over") {
    const outcome = walk.reason === "target" ? "WIN" : "LOSS";
    return { outcome, reason: walk.reason, resolved_at, ...resultOf(decided, walk) };
  }
  if (walk.phase === "waiting") {
    return { outcome: "EXPIRED", reason: "not-filled", resolved_at, ...NO_TRADE, costs };
  }
  const exit = heldTo * signOf(trade);
  const end = { ...walk, exit, exitedAt: resolvedAt };
  return { outcome: "EXPIRED", reason: "hold-over", resolved_at, ...resultOf(decided, end) };
}

const NO_TRADE = {
  filled_at: null,
  fill: null,
  exited_at: null,
  exit: null,
  r_multiple: null,
  max_favourable_r: null,
  max_adverse_r: null,
} as const;

/** R is the distance from the planned entry to the stop, wherever the fill was: what the position was sized by. */
function resultOf(
  { trade, costs }: Decided,
  end: Omit<OpenTrade, "phase"> & { exit: number; exitedAt: number },
): Omit<Judgement, "outcome" | "reason" | "resolved_at"> {
  const { fill, exit, best, worst, filledAt, exitedAt } = end;
  const risk = Math.abs(trade.entry - trade.stopLoss);
  const cost = tradeCost({ fill: Math.abs(fill), exit: Math.abs(exit) }, costs);
  return {
    filled_at: isoTime(filledAt),
    fill: quoted(fill),
    exited_at: isoTime(exitedAt),
    exit: quoted(exit),
    r_multiple: rounded((exit - fill - cost) / risk),
    max_favourable_r: rounded(Math.max(best - fill, 0) / risk),
    max_adverse_r: rounded(Math.max(fill - worst, 0) / risk),
    costs,
  };
}

const signOf = ({ side }: Trade): number => (side === "BUY" ? 1 : -1);
const isoTime = (timeMs: number): string => new Date(timeMs).toISOString();
/** Prices are above 0 whichever way a normal trade writes them. */
const quoted = (price: number): number => Number(Math.abs(price).toPrecision(PRICE_DIGITS));
/** Adding 0 keeps a result of nothing from being written as a negative one. */
const rounded = (value: number): number => Number(value.toFixed(R_DECIMALS)) + 0;
