import { MIN_SIGNALS } from "@shared/contract/constants.ts";
import type { Performance } from "@shared/contract/performance.ts";
import {
  confidenceSequence,
  type SequenceLevel,
  sequenceSpread,
  tradesUntilKnown,
} from "./confidence-sequence.ts";
import { addTrades, type TradeSums } from "./tally.ts";

/** A record is looked at every day. Most edges that are worth having are known within a thousand trades. */
const RECORD_LEVEL: SequenceLevel = { alpha: 0.05, horizon: 1_000 };

/** Trades by chance that are added to the variance, since the first trades may all end alike. */
const PRIOR_TRADES = 10;

type EdgeClaim = Pick<Performance, "edge_bounds" | "more_trades_to_know">;

/**
 * Bounds of the edge that hold at every look, and how many more trades it takes until they exclude the edge at which the
 * costs are paid.
 * @param blocks of time, the clusters
 */
export function edgeClaim(blocks: readonly TradeSums[], breakEven: number | null): EdgeClaim {
  const { closed, chanceSum } = addTrades(blocks);
  const clusters = blocks.map(({ closed: count, scoreSum, chanceSum: chances }) => ({
    count,
    sum: scoreSum - chances,
  }));
  const chance = chanceSum / closed;
  const leastVariance = (chance * (1 - chance) * PRIOR_TRADES) / (closed + PRIOR_TRADES);
  const bounds =
    closed < MIN_SIGNALS ? null : confidenceSequence(clusters, { ...RECORD_LEVEL, leastVariance });
  const spread = bounds && sequenceSpread(clusters, leastVariance);
  if (!bounds || !spread || breakEven === null) {
    return { edge_bounds: null, more_trades_to_know: null };
  }
  const { low, high } = bounds;
  const needed = tradesUntilKnown({ ...spread, ...RECORD_LEVEL }, breakEven);
  return {
    // No share of wins is below 0 or above 1.
    edge_bounds: { low: Math.max(low, -chance), high: Math.min(high, 1 - chance) },
    more_trades_to_know: needed === null ? null : needed - closed,
  };
}
