import { mean, quantile } from "simple-statistics";
import type { ChanceBand, ChanceFigures } from "./report/report-schema.ts";
import { resultUsd, tallyTrades } from "./strategy-figures.ts";
import type { WalkedTrade } from "./walk-market.ts";

/** Nine of ten repetitions lie between these quantiles. */
const BAND = { low: 0.05, high: 0.95 } as const;

/** Mean of values, and the range that nine of ten of them lie in; null without any. */
export function chanceBand(values: readonly number[]): ChanceBand | null {
  if (values.length === 0) return null;
  return {
    mean: mean([...values]),
    low: quantile([...values], BAND.low),
    high: quantile([...values], BAND.high),
  };
}

/** What the repetitions came to. `totalR` is the analyst's: how many of them did as well or better? */
export function chanceFigures(
  runs: readonly (readonly WalkedTrade[])[],
  { totalR }: { totalR: number },
): ChanceFigures {
  const tallies = runs.map(tallyTrades);
  const totals = tallies.map(({ equity }) => equity.total);
  const rates = tallies.flatMap(({ fates }) => {
    const decided = fates.win + fates.loss;
    return decided > 0 ? fates.win / decided : [];
  });
  const closed = tallies.filter(({ trades }) => trades.count > 0);
  return {
    repetitions: runs.length,
    trades: chanceBand(tallies.map(({ trades }) => trades.count)),
    win_rate: chanceBand(rates),
    expectancy_r: chanceBand(closed.map(({ trades }) => trades.sum / trades.count)),
    total_r: chanceBand(totals),
    result_usd: chanceBand(runs.map(resultUsd)),
    max_drawdown_r: chanceBand(tallies.map(({ equity }) => equity.drawdown)),
    as_good_share:
      totals.length === 0 ? null : totals.filter((total) => total >= totalR).length / totals.length,
  };
}
