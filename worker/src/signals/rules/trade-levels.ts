import type { MarketBrief } from "../market-brief.ts";
import { roundPrice } from "../round-price.ts";
import { structureAround } from "./structure-votes.ts";

/** How far the stop may stand from the entry, and how far beyond a swing it is put, in ATR(14). */
const STOP_ATR = { min: 1, usual: 1.5, max: 3, beyondSwing: 0.25 } as const;

/** Reward as a multiple of the risk: at least, where no swing is in reach, and at most. */
const REWARD = { min: 1.5, usual: 2, max: 3 } as const;

/** Prices of a trade in the quote currency. */
export interface TradeLevels {
  entry: number;
  stopLoss: number;
  takeProfit: number;
}

/**
 * Entry at the last close, stop beyond the nearest swing that is 1 to 3 ATR away (else 1.5 ATR), target at the nearest
 * swing that pays 1.5 to 3 times the risk (else twice the risk). Null where the market stands still, or where a
 * level would not be above 0.
 */
export function tradeLevels(options: {
  brief: MarketBrief;
  direction: 1 | -1;
}): TradeLevels | null {
  const { brief, direction } = options;
  const { price: entry, indicators } = brief;
  const { atr14 } = indicators;
  if (atr14 === null || atr14 === 0) return null;
  const { resistances, supports } = structureAround({ price: entry, indicators });
  const [ahead, behind] = direction === 1 ? [resistances, supports] : [supports, resistances];
  const distanceTo = (level: number) => Math.abs(level - entry);
  const risk = stopDistance({ distances: behind.map(distanceTo), atr: atr14 });
  const reward = targetDistance({ distances: ahead.map(distanceTo), risk });
  const levels = {
    entry,
    stopLoss: roundPrice(entry - direction * risk, atr14),
    takeProfit: roundPrice(entry + direction * reward, atr14),
  };
  return Math.min(levels.stopLoss, levels.takeProfit) > 0 ? levels : null;
}

function stopDistance(options: { distances: number[]; atr: number }): number {
  const { distances, atr } = options;
  const fitting = distances
    .map((distance) => distance + STOP_ATR.beyondSwing * atr)
    .find((distance) => distance >= STOP_ATR.min * atr && distance <= STOP_ATR.max * atr);
  return fitting ?? STOP_ATR.usual * atr;
}

function targetDistance(options: { distances: number[]; risk: number }): number {
  const { distances, risk } = options;
  const fitting = distances.find(
    (distance) => distance >= REWARD.min * risk && distance <= REWARD.max * risk,
  );
  return fitting ?? REWARD.usual * risk;
}
