const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Length of a block of time, in typical holding periods. The simulation in `coverage.test.ts` shows that it suffices. */
const HOLDING_PERIODS_PER_BLOCK = 4;

/** Holding periods of closed trades, in hours. */
export interface HoldingSums {
  sum: number;
  squareSum: number;
}

/** Sums over the trades that were resolved on one UTC day; `day` counts from 1970. */
export interface DatedSums {
  day: number;
  heldHours: HoldingSums;
}

/** The UTC day of a time in Unix milliseconds, counted from 1970. */
export const dayNumber = (at: number): number => Math.floor(at / DAY_MS);

/** The holding period of one trade; times in Unix milliseconds. */
export function holdingOf(trade: { openedAt: number; resolvedAt: number }): HoldingSums {
  const hours = Math.max(0, trade.resolvedAt - trade.openedAt) / HOUR_MS;
  return { sum: hours, squareSum: hours ** 2 };
}

/** Several holding periods taken together. */
export const addHoldings = (holdings: readonly HoldingSums[]): HoldingSums => ({
  sum: holdings.reduce((total, { sum }) => total + sum, 0),
  squareSum: holdings.reduce((total, { squareSum }) => total + squareSum, 0),
});

/**
 * Groups days into consecutive blocks of equal length: the clusters of the intervals. Trades that are open at the same
 * time depend on each other, within a market and across markets, so all trades that were resolved within a block are one
 * cluster. Only trades near the edge of a block share time with those of the next: with blocks of several holding
 * periods these are few enough to leave the variance right (Bester, Conley and Hansen 2011).
 *
 * The holding period is the mean weighted by itself, Σh² / Σh, because a long trade shares time with more others than a
 * short one. A block is four of them long and at least a day. Unlike the longest holding period, it does not let a single
 * trade that was open for a year turn the whole record into one block.
 */
export function groupIntoBlocks<Day extends DatedSums>(days: readonly Day[]): Day[][] {
  const { sum, squareSum } = addHoldings(days.map(({ heldHours }) => heldHours));
  const typicalDays = sum > 0 ? squareSum / sum / 24 : 0;
  const lengthDays = Math.max(1, Math.ceil(HOLDING_PERIODS_PER_BLOCK * typicalDays));
  const firstDay = days.reduce((first, { day }) => Math.min(first, day), Number.POSITIVE_INFINITY);
  const blocks = new Map<number, Day[]>();
  for (const day of days) {
    const index = Math.floor((day.day - firstDay) / lengthDays);
    const block = blocks.get(index);
    if (block) block.push(day);
    else blocks.set(index, [day]);
  }
  return [...blocks.values()];
}
