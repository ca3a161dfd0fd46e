import {
  type ConfidenceBucketFigures,
  ENOUGH_SIGNALS,
  EQUITY_POINTS,
  type Performance,
  type PerformanceCounts,
  type Reliability,
} from "@shared/contract/performance.ts";
import {
  BUCKET_COUNT,
  brierScore,
  type ConfidenceBucket,
  decidedOf,
  expectedCalibrationError,
} from "./confidence-bucket.ts";
import { equityCurve, thinCurve } from "./equity.ts";
import { meanInterval, wilsonInterval } from "./interval.ts";
import { type Decided, liftOf } from "./no-edge.ts";
import type { Tally } from "./tally.ts";

/** All figures that follow from a record. */
export type Figures = Omit<Performance, "since" | "updated_at" | "recorded">;

/** The figures of a tally; one that too few signals stand behind is null. */
export function figuresOf(tally: Tally): Figures {
  const { trades, equity, hours, buckets, calibratedBuckets } = tally;
  const curve = thinCurve(equityCurve(hours), EQUITY_POINTS);
  return {
    counts: countsOf(tally.fates),
    ...winFigures(decidedOf(buckets)),
    trades: trades.count,
    ...tradeFigures(tally),
    total_r: equity.total,
    equity: curve.map(({ at, r }) => ({ at: new Date(at).toISOString(), r })),
    confidence: reliabilityOf(buckets),
    calibrated: reliabilityOf(calibratedBuckets),
  };
}

function countsOf(fates: Tally["fates"]): PerformanceCounts {
  return {
    decided: fates.win + fates.loss,
    wins: fates.win,
    losses: fates.loss,
    expired: fates.expired,
    not_filled: fates["not-filled"],
    waits: fates.wait,
    failed: fates.failed,
    pending: fates.pending,
  };
}

type WinFigures = Pick<Figures, "win_rate" | "no_edge_rate" | "lift">;

function winFigures(record: Decided): WinFigures {
  const { decided, wins, chanceSum } = record;
  if (decided < ENOUGH_SIGNALS) return { win_rate: null, no_edge_rate: null, lift: null };
  return {
    win_rate: wilsonInterval({ successes: wins, trials: decided }),
    no_edge_rate: chanceSum / decided,
    lift: liftOf(record),
  };
}

/**
 * Expectancy, profit factor (what was won per R lost; null where nothing was lost) and maximum drawdown, of every
 * trade that was closed: whoever took all signals had the expired ones too.
 */
function tradeFigures({
  trades,
  equity,
}: Tally): Pick<Figures, "expectancy_r" | "profit_factor" | "max_drawdown_r"> {
  if (trades.count < ENOUGH_SIGNALS) {
    return { expectancy_r: null, profit_factor: null, max_drawdown_r: null };
  }
  return {
    expectancy_r: meanInterval(trades),
    profit_factor: trades.losses > 0 ? trades.gains / trades.losses : null,
    max_drawdown_r: equity.drawdown,
  };
}

function reliabilityOf(buckets: readonly ConfidenceBucket[]): Reliability {
  const { decided } = decidedOf(buckets);
  const enough = decided >= ENOUGH_SIGNALS;
  return {
    decided,
    brier: enough ? brierScore(buckets) : null,
    ece: enough ? expectedCalibrationError(buckets) : null,
    buckets: buckets.map(presentBucket),
  };
}

function presentBucket(bucket: ConfidenceBucket): ConfidenceBucketFigures {
  const { index, decided, wins, statedSum } = bucket;
  return {
    from: (index * 100) / BUCKET_COUNT,
    to: ((index + 1) * 100) / BUCKET_COUNT,
    decided,
    wins,
    stated: statedSum / decided,
    won: wins / decided,
    ...winFigures(bucket),
  };
}
