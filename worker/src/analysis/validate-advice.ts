import { roundTripPercent, type TradingCosts, tradeCost } from "@shared/contract/resolution.ts";
import { formatNumber } from "@shared/domain/format-price.ts";
import type { Advice } from "./analyst.ts";
import { type PriceScale, roundToTick } from "./market-brief.ts";

export type ValidatedAdvice =
  | { accepted: true; advice: Advice }
  | { accepted: false; reasons: string[] };

/** Distances are in ATR(14). */
export const TRADE_BOUNDS = {
  minRewardToRisk: 1,
  minStopAtr: 0.25,
  maxStopAtr: 10,
  maxEntryAtr: 1,
} as const;

/** Decimal levels have no exact binary form: a reward to risk of exactly 1 may compute as slightly less. */
const RELATIVE_TOLERANCE = 1e-9;

const LEVEL_NAMES = ["entry", "stop_loss", "take_profit"] as const;
type LevelName = (typeof LEVEL_NAMES)[number];
type Levels = Record<LevelName, number>;

const isAtLeast = (value: number, bound: number) => value >= bound * (1 - RELATIVE_TOLERANCE);
const isAtMost = (value: number, bound: number) => value <= bound * (1 + RELATIVE_TOLERANCE);
const round = (value: number) => Number(value.toPrecision(6));

export interface AdviceBounds {
  price: number;
  atr: number;
  scale: PriceScale;
}

/** Rounds the levels of a trade to the tick and checks them. Levels of a WAIT are dropped. */
export function validateAdvice(advice: Advice, bounds: AdviceBounds): ValidatedAdvice {
  const { price, atr, scale } = bounds;
  const { final_signal: signal } = advice;
  const reasons = confidenceReasons(advice.confidence);
  if (signal === "WAIT") {
    return settle(reasons, { ...advice, entry: null, stop_loss: null, take_profit: null });
  }
  const levels = completeLevels(advice, scale);
  if (!levels) return { accepted: false, reasons: [...reasons, ...missingReasons(advice, scale)] };
  reasons.push(
    ...orderReasons(signal, levels),
    ...rewardReasons(levels),
    ...stopReasons(levels, atr),
    ...entryReasons({ entry: levels.entry, price, atr }),
  );
  return settle(reasons, { ...advice, ...levels });
}

function settle(reasons: string[], advice: Advice): ValidatedAdvice {
  return reasons.length === 0 ? { accepted: true, advice } : { accepted: false, reasons };
}

/** Null for anything but a positive finite price. */
function toLevel(value: number | null, scale: PriceScale): number | null {
  if (value === null) return null;
  const level = roundToTick(value, scale);
  return Number.isFinite(level) && level > 0 ? level : null;
}

function completeLevels(advice: Advice, scale: PriceScale): Levels | null {
  const entry = toLevel(advice.entry, scale);
  const stop_loss = toLevel(advice.stop_loss, scale);
  const take_profit = toLevel(advice.take_profit, scale);
  if (entry === null || stop_loss === null || take_profit === null) return null;
  return { entry, stop_loss, take_profit };
}

function confidenceReasons(confidence: number): string[] {
  const isPercent = confidence >= 0 && confidence <= 100;
  return isPercent ? [] : [`confidence must be a number from 0 to 100, not ${confidence}.`];
}

function missingReasons(advice: Advice, scale: PriceScale): string[] {
  return LEVEL_NAMES.filter((name) => toLevel(advice[name], scale) === null).map(
    (name) => `A ${advice.final_signal} needs a ${name} above 0, not ${advice[name]}.`,
  );
}

function orderReasons(signal: "BUY" | "SELL", levels: Levels): string[] {
  const { entry, stop_loss, take_profit } = levels;
  const reasons: string[] = [];
  const isBuy = signal === "BUY";
  if (isBuy ? stop_loss >= entry : stop_loss <= entry) {
    const side = isBuy ? "below" : "above";
    reasons.push(`The stop_loss ${stop_loss} of a ${signal} must be ${side} its entry ${entry}.`);
  }
  if (isBuy ? take_profit <= entry : take_profit >= entry) {
    const side = isBuy ? "above" : "below";
    reasons.push(
      `The take_profit ${take_profit} of a ${signal} must be ${side} its entry ${entry}.`,
    );
  }
  return reasons;
}

function rewardReasons({ entry, stop_loss, take_profit }: Levels): string[] {
  const risk = Math.abs(entry - stop_loss);
  const reward = Math.abs(take_profit - entry);
  if (isAtLeast(reward, risk * TRADE_BOUNDS.minRewardToRisk)) return [];
  return [
    `Reward to risk is ${round(reward / risk)} (reward ${round(reward)}, risk ${round(risk)}); ` +
      `it must be at least ${TRADE_BOUNDS.minRewardToRisk}.`,
  ];
}

function stopReasons({ entry, stop_loss }: Levels, atr: number): string[] {
  const { minStopAtr, maxStopAtr } = TRADE_BOUNDS;
  const distance = Math.abs(entry - stop_loss);
  if (isAtLeast(distance, minStopAtr * atr) && isAtMost(distance, maxStopAtr * atr)) return [];
  return [
    `The stop_loss is ${round(distance)} from the entry; it must be between ${round(minStopAtr * atr)} and ` +
      `${round(maxStopAtr * atr)} (${minStopAtr} to ${maxStopAtr} times ATR(14), which is ${round(atr)}).`,
  ];
}

function entryReasons(options: { entry: number; price: number; atr: number }): string[] {
  const { entry, price, atr } = options;
  const distance = Math.abs(entry - price);
  if (isAtMost(distance, TRADE_BOUNDS.maxEntryAtr * atr)) return [];
  return [
    `The entry ${entry} is ${round(distance)} from the last close ${price}; it must be within ` +
      `${round(TRADE_BOUNDS.maxEntryAtr * atr)} (${TRADE_BOUNDS.maxEntryAtr} ATR(14)).`,
  ];
}

/** Largest share of a trade's risk (entry to stop) that its trading costs may take. */
export const MAX_COST_SHARE = 0.15;

interface Risk {
  entry: number;
  stopLoss: number;
}

export function costShare({ entry, stopLoss }: Risk, costs: TradingCosts): number {
  return tradeCost({ fill: entry, exit: entry }, costs) / Math.abs(entry - stopLoss);
}

export function isTooCostly(risk: Risk, costs: TradingCosts): boolean {
  return !isAtMost(costShare(risk, costs), MAX_COST_SHARE);
}

/**
 * Whether any trade can pass `validateAdvice` and `costWarnings`: that with the lowest entry and the farthest stop, on the
 * tick, has the smallest share of costs.
 */
export function canPass(
  { price, atr, scale: { tick } }: AdviceBounds,
  costs: TradingCosts,
): boolean {
  const lowestTicks = Math.ceil(withTolerance((price - TRADE_BOUNDS.maxEntryAtr * atr) / tick, -1));
  const stopTicks = Math.floor(withTolerance((TRADE_BOUNDS.maxStopAtr * atr) / tick, 1));
  if (stopTicks < 1) return false;
  const entry = Math.max(lowestTicks, 1) * tick;
  return !isTooCostly({ entry, stopLoss: entry - stopTicks * tick }, costs);
}

const withTolerance = (value: number, sign: 1 | -1): number =>
  value * (1 + sign * RELATIVE_TOLERANCE);

/** Distance from an entry at `price` to the nearest stop that the costs allow. */
export function minStopDistance(price: number, costs: TradingCosts): number {
  return tradeCost({ fill: price, exit: price }, costs) / MAX_COST_SHARE;
}

/** Reason not to propose a trade whose costs are too high; empty otherwise. */
export function costWarnings(
  { entry, stop_loss: stopLoss }: { entry: number | null; stop_loss: number | null },
  costs: TradingCosts,
): string[] {
  if (entry === null || stopLoss === null || !isTooCostly({ entry, stopLoss }, costs)) return [];
  const stopPercent = (100 * Math.abs(entry - stopLoss)) / entry;
  return [
    `No trade is proposed: its trading costs of ${percent(roundTripPercent(costs), 3)} of the price are ` +
      `${percent(100 * costShare({ entry, stopLoss }, costs))} of its risk, with the stop ${percent(stopPercent)} ` +
      `from the entry; the limit is ${percent(100 * MAX_COST_SHARE)}.`,
  ];
}

export function costNumbers(price: number, costs: TradingCosts): number[] {
  return [
    costs.spread_percent,
    costs.commission_percent,
    roundTripPercent(costs),
    100 * MAX_COST_SHARE,
    minStopDistance(price, costs),
  ];
}

const percent = (value: number, decimals = 2): string => `${formatNumber(value, decimals)}%`;
