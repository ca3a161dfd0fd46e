import { setImmediate } from "node:timers/promises";
import type { Judgement } from "@shared/contract/judgement.ts";
import type { Trade } from "@shared/outcomes/trade.ts";
import { type Course, closeOf } from "./course.ts";

/** A trade that a strategy takes at the close of a candle. */
export interface Decision {
  trade: Trade;
  /** 0–100; null where the strategy states none. */
  confidence: number | null;
  /** What the position loses at its stop, in USD. */
  dollarRisk: number;
}

/** What decides, at the close of the candle at `bar`, by nothing but the candles up to it. */
export type Decide = (bar: number) => Promise<Decision | null>;

/** Judges a trade that was made at the close of the candle at `bar`; null where the recording ends before it does. */
export type Judge = (trade: Trade, bar: number) => Promise<Judgement | null>;

export interface WalkedTrade extends Decision {
  judgement: Judgement | null;
}

/** Bars after which timers, signals and the screen get their turn. */
const BARS_PER_BREATH = 8;

interface WalkOptions {
  course: Course;
  decide: Decide;
  judge: Judge;
  /** Decide at every n-th bar only. */
  every: number;
  abort?: AbortSignal;
  onBar?: () => void;
}

/**
 * Walks through the bars of a course. One trade at a time: as a trader with one position would, nothing new is decided
 * while an order waits or a position is open.
 * @returns the trades, oldest first, and the last bar that was reached
 * @throws what `decide` throws, and the reason of `abort` if that fires before the first bar is done
 */
export async function walkMarket(
  options: WalkOptions,
): Promise<{ trades: WalkedTrade[]; lastBar: number }> {
  const { course, every, abort, onBar } = options;
  const { firstBar, lastBar } = course;
  const trades: WalkedTrade[] = [];
  let flatFrom = 0;
  let walked = firstBar - 1;
  for (let bar = firstBar; bar <= lastBar; bar += 1) {
    if (bar % BARS_PER_BREATH === 0) await setImmediate();
    const isTurn = (bar - firstBar) % every === 0 && closeOf(course, bar) >= flatFrom;
    const trade = isTurn ? await takeTurn(options, bar) : null;
    if (abort?.aborted) break;
    if (trade) {
      trades.push(trade);
      flatFrom = endOf(trade);
    }
    walked = bar;
    onBar?.();
  }
  if (walked < firstBar) abort?.throwIfAborted();
  return { trades, lastBar: walked };
}

/** What is decided at a bar, and what becomes of it; nothing of a turn that was broken off. */
async function takeTurn(
  { decide, judge, abort }: WalkOptions,
  bar: number,
): Promise<WalkedTrade | null> {
  if (abort?.aborted) return null;
  try {
    const decision = await decide(bar);
    return decision && { ...decision, judgement: await judge(decision.trade, bar) };
  } catch (error) {
    if (abort?.aborted) return null;
    throw error;
  }
}

const endOf = ({ judgement }: WalkedTrade): number =>
  judgement ? Date.parse(judgement.resolved_at) : Number.POSITIVE_INFINITY;
