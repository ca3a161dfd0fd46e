/** Ten percentage points each; the last one includes 100. */
export const BUCKET_COUNT = 10;

/** Sums over closed trades, and over the decided (won or lost) among them. */
export interface TradeSums {
  decided: number;
  wins: number;
  /** Won, lost or expired. */
  closed: number;
  /** A win scores 1, a loss 0, an expired trade in between. */
  scoreSum: number;
  chanceSum: number;
  edgeSquareSum: number;
}

/** Closed trades with a stated chance in one bucket. */
export interface ConfidenceBucket extends TradeSums {
  /** 0 is 0–10 %, 9 is 90–100 %. */
  index: number;
  /** Sum of the stated chances of decided trades, each 0–1. */
  statedSum: number;
  squareErrorSum: number;
}

/** Stated chance, score and baseline win rate of a closed trade, all 0–1. */
interface StatedTrade {
  stated: number;
  noEdge: number;
  score: number;
  /** Null for an expired trade. */
  won: boolean | null;
}

/** The bucket of one trade. */
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

/** Adds up buckets of the same index, in the order of the index. */
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

export function addTrades(buckets: readonly TradeSums[]): TradeSums {
  const total = { decided: 0, wins: 0, closed: 0, scoreSum: 0, chanceSum: 0, edgeSquareSum: 0 };
  for (const bucket of buckets) addTradesTo(total, bucket);
  return total;
}

/** Mean squared error of the stated chances (Brier 1950): 0 is perfect, 0.25 is always saying 50 %. */
export function brierScore(buckets: readonly ConfidenceBucket[]): number {
  const { decided } = addTrades(buckets);
  return buckets.reduce((sum, { squareErrorSum }) => sum + squareErrorSum, 0) / decided;
}

/**
 * Expected calibration error over ten equal buckets (Naeini et al. 2015): mean distance between stated and observed
 * win rate, weighted by signals; 0–1.
 */
export function expectedCalibrationError(buckets: readonly ConfidenceBucket[]): number {
  const { decided } = addTrades(buckets);
  const gaps = buckets.map(({ statedSum, wins }) => Math.abs(statedSum - wins));
  return gaps.reduce((sum, gap) => sum + gap, 0) / decided;
}
