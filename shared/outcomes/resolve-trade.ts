import { type Candle, TIMEFRAME_MS, type Timeframe } from "@shared/contract/candle.ts";
import type { Judgement } from "@shared/contract/judgement.ts";
import type { TradingCosts } from "@shared/contract/trading-costs.ts";
import { composeJudgement } from "./compose-judgement.ts";
import { typicalSpread } from "./spread.ts";
import {
  type EntryOrder,
  type FinerCandles,
  type NormalTrade,
  seenFrom,
  type Trade,
} from "./trade.ts";
import { type Exit, stepCandle, type Walk } from "./walk.ts";

export interface ResolveOptions {
  trade: Trade;
  /** Candles of the trade's timeframe from the one that it was made in on, oldest first; gaps are closed markets. */
  candles: readonly Candle[];
  finer: FinerCandles;
  /** Unix ms; candles that close later are not looked at. */
  now: number;
  costs: TradingCosts;
}

/**
 * Judges a BUY or a SELL by what the market did after it was made, or gives null while that is open. The rules:
 *
 * - Only what traded after the signal was made counts. Of the candle that it was made in, only its finer candles that
 *   open later do; where those cannot be had, none of it does.
 * - An entry within the usual spread of the last close is taken at the market's next open; any other waits for a trade
 *   beyond its price, until it is no longer valid (`EXPIRED`, `not-filled`).
 * - Then the stop (a touch) is a `LOSS`, the target (a trade beyond it) a `WIN`; a gap trades at its open. Where a
 *   candle's own figures leave open what came first, its finer candles tell, down to 1m; where they cannot, the worse
 *   counts (`LOSS`, `both`).
 * - After the suggested hold the trade ends at the close (`EXPIRED`, `hold-over`). It is counted in candles that exist:
 *   a closed market ends nothing.
 *
 * `resolved_at` is the close of the candle that decides, in the signal's timeframe. Neither a later run nor later candles
 * change any of it.
 */
export async function resolveTrade(options: ResolveOptions): Promise<Judgement | null> {
  const { trade, candles, now, costs } = options;
  const lengthMs = TIMEFRAME_MS[trade.timeframe];
  const course: Course = { ...options, normal: normalTrade(trade) };
  let walk: Walk | Exit = { phase: "waiting" };
  let held = 0;
  for (const candle of candles) {
    const closesAt = candle.time + lengthMs;
    if (closesAt > now) return null;
    walk = await walkCandle(course, { walk, candle, timeframe: trade.timeframe });
    if (walk.phase === "open") held += 1;
    if (isDecided({ walk, trade, held, closesAt })) {
      const heldTo = candle.close;
      return composeJudgement({ trade, walk, heldTo, resolvedAt: closesAt, costs });
    }
  }
  return null;
}

/** Whether the trade is over, was not taken in time, or has been held for as long as it should. */
function isDecided(at: {
  walk: Walk | Exit;
  trade: Trade;
  held: number;
  closesAt: number;
}): boolean {
  const { walk, trade, held, closesAt } = at;
  if (walk.phase === "waiting") return closesAt >= Math.max(trade.validUntil, trade.createdAt);
  return walk.phase === "over" || held >= trade.holdCandles;
}

type Course = Pick<ResolveOptions, "trade" | "finer"> & { normal: NormalTrade };

interface Place {
  walk: Walk | Exit;
  candle: Candle;
  timeframe: Timeframe;
}

/** The trade after one candle, with the help of finer ones where that one alone does not tell. */
async function walkCandle(course: Course, place: Place): Promise<Walk | Exit> {
  const { trade, normal } = course;
  const { walk, candle, timeframe } = place;
  const closesAt = candle.time + TIMEFRAME_MS[timeframe];
  const isWaiting = walk.phase === "waiting";
  if (walk.phase === "over" || closesAt <= trade.createdAt) return walk;
  if (isWaiting && candle.time >= trade.validUntil) return walk;
  if (candle.time < trade.createdAt) return (await walkParts(course, place)) ?? walk;
  const input = {
    walk,
    trade: normal,
    candle: { ...seenFrom(trade.side, candle), time: candle.time },
  };
  const step = stepCandle({ ...input, isFinest: false });
  const mayBeLate = isWaiting && step.phase !== "waiting" && closesAt > trade.validUntil;
  if (mayBeLate) return (await walkParts(course, place)) ?? walk;
  if (step.phase !== "unclear") return step;
  const inParts = await walkParts(course, place);
  if (inParts) return inParts;
  const settled = stepCandle({ ...input, isFinest: true });
  return settled.phase === "unclear" ? walk : settled;
}

/** The trade after the finer candles of one; null where they cannot be had. */
async function walkParts(course: Course, place: Place): Promise<Walk | Exit | null> {
  const parts = await course.finer(place.candle, place.timeframe);
  if (!parts) return null;
  let { walk } = place;
  for (const candle of parts.candles) {
    walk = await walkCandle(course, { walk, candle, timeframe: parts.timeframe });
  }
  return walk;
}

function normalTrade({ side, ...trade }: Trade): NormalTrade {
  const sign = side === "BUY" ? 1 : -1;
  const [entry, stopLoss, takeProfit, price] = [
    sign * trade.entry,
    sign * trade.stopLoss,
    sign * trade.takeProfit,
    sign * trade.price,
  ];
  const spread = typicalSpread(trade.symbol, trade.price);
  const order = entryOrder({ entry, price, spread });
  return { ...trade, entry, stopLoss, takeProfit, price, order };
}

function entryOrder(prices: { entry: number; price: number; spread: number }): EntryOrder {
  const { entry, price, spread } = prices;
  if (Math.abs(entry - price) <= spread) return "market";
  return entry < price ? "limit" : "stop";
}
