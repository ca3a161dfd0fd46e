import { structureAround } from "../indicators.ts";
import type { MarketBrief } from "../market-brief.ts";
import { roundToTick } from "../price-scale.ts";

const STOP_ATR = { min: 1, usual: 1.5, max: 3, beyondSwing: 0.25 } as const;

const REWARD = { min: 1.5, usual: 2, max: 3 } as const;

/** With fewer ticks, rounding could turn reward below risk. */
const MIN_ATR_TICKS = 2;

export interface TradeLevels {
  entry: number;
  stopLoss: number;
  takeProfit: number;
}

/**
 * Stop beyond the nearest swing 1 to 3 ATR away, else 1.5 ATR; target at the nearest swing that pays 1.5 to 3 times the
 * risk, else twice.
 * Null where the market hardly moves.
 */
export function tradeLevels(
  { price, scale, indicators }: MarketBrief,
  direction: 1 | -1,
): TradeLevels | null {
  const entry = roundToTick(price, scale);
  const { atr14 } = indicators;
  if (atr14 === null || atr14 < MIN_ATR_TICKS * scale.tick) return null;
  const { resistances, supports } = structureAround(entry, indicators.swings);
  const [ahead, behind] = direction === 1 ? [resistances, supports] : [supports, resistances];
  const distanceTo = (level: number) => Math.abs(level - entry);
  const risk = stopDistance(behind.map(distanceTo), atr14);
  const reward = targetDistance(ahead.map(distanceTo), risk);
  const levels = {
    entry,
    stopLoss: roundToTick(entry - direction * risk, scale),
    takeProfit: roundToTick(entry + direction * reward, scale),
  };
  return Math.min(levels.stopLoss, levels.takeProfit) > 0 ? levels : null;
}

function stopDistance(distances: readonly number[], atr: number): number {
  const fitting = distances
    .map((distance) => distance + STOP_ATR.beyondSwing * atr)
    .find((distance) => distance >= STOP_ATR.min * atr && distance <= STOP_ATR.max * atr);
  return fitting ?? STOP_ATR.usual * atr;
}

function targetDistance(distances: readonly number[], risk: number): number {
  const { min, max, usual } = REWARD;
  const fitting = distances.find((distance) => distance >= min * risk && distance <= max * risk);
  return fitting ?? usual * risk;
}
