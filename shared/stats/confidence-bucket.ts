/** Ten buckets of ten percentage points; the last one includes 100. */
export const BUCKET_COUNT = 10;

/** Sums over closed trades: those that count towards the edge, and the decided (won or lost) among them. */
export interface TradeSums {
  decided: number;
  wins: number;
  /** Closed trades: won, lost or expired. */
  closed: number;
  /** Sum of the scores: 1 for a win, 0 for a loss, in between for an expired trade. */
  scoreSum: number;
  /** Sum of the baseline win rates. */
  chanceSum: number;
  /** Sum of (score − baseline)². */
  edgeSquareSum: number;
}

/** Closed trades whose stated chance fell into one bucket. */
export interface ConfidenceBucket extends TradeSums {
  /** 0 is 0–10 %, 9 is 90–100 %. */
  index: number;
  /** Sum of the stated chances of decided trades, each 0–1. */
  statedSum: number;
  /** Sum of (stated − won)² of decided trades, won being 0 or 1. */
  squareErrorSum: number;
}

/** One closed trade: the chance stated for it, its score and its baseline win rate, all 0–1. */
export interface StatedTrade {
  stated: number;
  noEdge: number;
  score: number;
  /** Null for an expired trade. */
  won: boolean | null;
}

/** The bucket that a trade alone makes. */
export function bucketOf({ stated, noEdge, score, won }: StatedTrade): ConfidenceBucket {
  const isDecided = won !== null;
  return {
    index: Math.min(BUCKET_COUNT - 1, Math.floor(stated * BUCKET_COUNT)),
    decided: Number(isDecided),
    wins: Number(won),
    closed: 1,
    scoreSum: score,
    chanceSum: noEdge,
    edgeSquareSum: (score - noEdge) ** 2,
    statedSum: isDecided ? stated : 0,
    squareErrorSum: isDecided ? (stated - Number(won)) ** 2 : 0,
  };
}

/** Adds up buckets of the same index; the result is in the order of the index, without empty ones. */
export function addBuckets(buckets: readonly ConfidenceBucket[]): ConfidenceBucket[] {
  const sums = new Map<number, ConfidenceBucket>();
  for (const bucket of buckets) {
    const sum = sums.get(bucket.index);
    if (sum) addTo(sum, bucket);
    else sums.set(bucket.index, { ...bucket });
  }
  return [...sums.values()].toSorted((a, b) => a.index - b.index);
}

function addTo(sum: ConfidenceBucket, bucket: ConfidenceBucket): void {
  addTradesTo(sum, bucket);
  sum.statedSum += bucket.statedSum;
  sum.squareErrorSum += bucket.squareErrorSum;
}

function addTradesTo(sum: TradeSums, trades: TradeSums): void {
  sum.decided += trades.decided;
  sum.wins += trades.wins;
  sum.closed += trades.closed;
  sum.scoreSum += trades.scoreSum;
  sum.chanceSum += trades.chanceSum;
  sum.edgeSquareSum += trades.edgeSquareSum;
}

/** The trades of all buckets taken together. */
export function addTrades(buckets: readonly TradeSums[]): TradeSums {
  const total = { decided: 0, wins: 0, closed: 0, scoreSum: 0, chanceSum: 0, edgeSquareSum: 0 };
  for (const bucket of buckets) addTradesTo(total, bucket);
  return total;
}

/** Mean squared distance of the stated chances from what happened (Brier 1950): 0 is perfect, 0.25 is always saying 50 %. */
export function brierScore(buckets: readonly ConfidenceBucket[]): number {
  const { decided } = addTrades(buckets);
  return buckets.reduce((sum, { squareErrorSum }) => sum + squareErrorSum, 0) / decided;
}

/**
 * Expected calibration error over ten equal buckets (Naeini et al. 2015): the mean distance between what was stated and
 * what came true, each bucket weighted by its signals; 0–1.
 */
export function expectedCalibrationError(buckets: readonly ConfidenceBucket[]): number {
  const { decided } = addTrades(buckets);
  const gaps = buckets.map(({ statedSum, wins }) => Math.abs(statedSum - wins));
  return gaps.reduce((sum, gap) => sum + gap, 0) / decided;
}
