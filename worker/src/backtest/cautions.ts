import { ENOUGH_SIGNALS } from "@shared/contract/performance.ts";
import { roundTripPercent } from "@shared/contract/trading-costs.ts";
import { mean } from "simple-statistics";
import type { BacktestReport } from "./report/report-schema.ts";

type Told = Pick<
  BacktestReport,
  "options" | "bars" | "analyst" | "figures" | "random" | "hold" | "trades" | "stopped_early"
>;

/** What a reader has to know before believing any figure of a backtest, most important first. */
export function cautionsFor(report: Told): string[] {
  const { options } = report;
  return [
    ...lengthCautions(report),
    ...sizeCaution(report),
    analystCaution(options.analyst),
    "One market and one stretch of time: its trend is in every figure. Past results promise nothing.",
    costCaution(report),
    ...tradeCautions(report),
  ];
}

/** The costs of the trades as they were deducted: the closer the stop, the more of an R they are. */
function costCaution({ options, trades }: Told): string {
  const percent = Number(roundTripPercent(options.costs).toFixed(4));
  const costs = trades.flatMap(({ cost_r }) => cost_r ?? []);
  const share = costs.length === 0 ? "" : `, ${mean(costs).toFixed(2)} R on average`;
  return `Each trade pays ${percent}% of the price in spread and commission${share}. Slippage, overnight financing and wider spreads are not included.`;
}

function lengthCautions({ options, bars, stopped_early: isStopped }: Told): string[] {
  if (isStopped)
    return ["The run was stopped before its last bar: this is what was walked so far."];
  if (bars >= options.bars) return [];
  return [
    `Shorter than asked for: after ${options.warm_up} candles that only settle the indicators, the data has ${bars} of ${options.bars} closes to decide at.`,
  ];
}

function tradeCautions({ trades, figures, analyst }: Told): string[] {
  const unclear = trades.filter(({ judgement }) => judgement?.reason === "both").length;
  const told = [
    {
      isTrue: unclear > 0,
      text: `Trades that touched stop and target within one shortest candle count as lost: ${unclear}.`,
    },
    {
      isTrue: figures.counts.pending > 0,
      text: "The last trade was still open where the data ends: it is in no figure.",
    },
    {
      isTrue: analyst.failed > 0,
      text: `Bars at which the analyst gave no answer count as no trade: ${analyst.failed}.`,
    },
  ];
  return told.filter(({ isTrue }) => isTrue).map(({ text }) => text);
}

function sizeCaution({ figures }: Told): string[] {
  const { decided } = figures.counts;
  if (decided < ENOUGH_SIGNALS) {
    return [
      `Only ${decided} trades were won or lost. Below ${ENOUGH_SIGNALS} chance alone moves every figure too far: rates are left out.`,
    ];
  }
  const { lift } = figures;
  if (!lift || lift.low > 0 || lift.high < 0) return [];
  return [
    `${decided} trades were won or lost, too few for so small a difference: the win rate cannot be told from the one that luck gives to the same levels.`,
  ];
}

function analystCaution(analyst: Told["options"]["analyst"]): string {
  return analyst === "rules"
    ? "In-sample: the rules were written with markets like this recording at hand, so expect less of them on new data."
    : "The model may have read about this time in its training. No later candle was shown to it, but it can remember what came next: only times after its training count.";
}

/** One sentence that sums the comparison with chance up, without more certainty than there is. */
export function verdictOn({ figures, random }: Pick<Told, "figures" | "random">): string {
  const { total_r: band, as_good_share: asGood } = random;
  if (figures.trades === 0 || !band || asGood === null) {
    return "No trade was closed, so there is nothing to compare.";
  }
  const total = figures.total_r;
  const share = `${Math.round(100 * asGood)}%`;
  const place = `in ${share} of the runs, random entries with the same levels did as well or better`;
  if (total > band.high) return `Ahead of chance here: ${place}.`;
  if (total < band.low) return `Behind chance here: ${place}.`;
  return `Not to be told from chance: ${place}.`;
}
