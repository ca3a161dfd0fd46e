import { type Estimate, Z_95 } from "./interval.ts";

/** Levels of a trade, in the quote currency; `entry` is the price it was filled at. */
export interface Levels {
  entry: number;
  stopLoss: number;
  takeProfit: number;
}

/**
 * Chance that a price without drift reaches the target before the stop:
 * stop distance / (stop distance + target distance), the gambler's ruin (Feller, vol. 1, ch. XIV). A near target is
 * reached more often than not without any skill; that is why a win rate says nothing without this number beside it.
 *
 * A fill beyond a level has that level's chance, 0 or 1.
 */
export function noEdgeChance({ entry, stopLoss, takeProfit }: Levels): number {
  const chance = (entry - stopLoss) / (takeProfit - stopLoss);
  return Math.min(1, Math.max(0, chance));
}

/** Decided signals: how many, how many won, and their no-edge chances p as Σp and Σp(1 − p). */
export interface Decided {
  decided: number;
  wins: number;
  chanceSum: number;
  chanceVariance: number;
}

/**
 * Win rate minus the mean no-edge chance. Its interval is the range that luck alone leaves around it: without an edge
 * the wins follow a Poisson binomial distribution with variance Σp(1 − p). Where the interval holds 0, the record
 * cannot be told from luck.
 *
 * Signals that ran out of time are not decided. As a target is never nearer than its stop, they would have won less
 * often than lost: leaving them out can understate the lift, not overstate it. Trades that are open at the same time
 * in one market share their luck, which makes the true interval wider.
 * @param record with at least one decided signal
 */
export function liftOf({ decided, wins, chanceSum, chanceVariance }: Decided): Estimate {
  const value = (wins - chanceSum) / decided;
  const halfWidth = (Z_95 * Math.sqrt(chanceVariance)) / decided;
  return { value, low: value - halfWidth, high: value + halfWidth };
}
