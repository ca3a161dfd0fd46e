import { MIN_SIGNALS } from "@shared/contract/constants.ts";
import { edgeStatement } from "@shared/contract/edge-statement.ts";
import { roundTripPercent } from "@shared/contract/trading-costs.ts";
import { mean } from "simple-statistics";
import { formatMeanR, formatRange } from "./report/formats.ts";
import type { BacktestReport, StrategyMetrics } from "./report/report-schema.ts";

type Reported = Pick<
  BacktestReport,
  "options" | "bars" | "analyst" | "figures" | "random" | "hold" | "trades" | "stopped_early"
>;

export function caveatsFor(report: Reported): string[] {
  const { options } = report;
  return [
    ...lengthCaveats(report),
    ...sizeCaveat(report),
    ...analystCaveat(options),
    "One market and one period: its trend is in every result. Past performance is not indicative of future results.",
    costCaveat(report),
    ...tradeCaveats(report),
  ];
}

function costCaveat({ options, trades }: Reported): string {
  const percent = Number(roundTripPercent(options.costs).toFixed(4));
  const costs = trades.flatMap(({ cost_r }) => cost_r ?? []);
  const share = costs.length === 0 ? "" : `, ${mean(costs).toFixed(2)} R on average`;
  return `Each trade pays ${percent}% of the price in spread and commission${share}. Slippage, overnight financing and wider spreads are not included.`;
}

function lengthCaveats({ options, bars, stopped_early: isStopped }: Reported): string[] {
  if (isStopped) return ["The run was stopped before its last bar: these are the results so far."];
  if (bars >= options.bars) return [];
  return [
    `Shorter than requested: after ${options.warm_up} candles of warm-up, the data has ${bars} of ${options.bars} closes to decide at.`,
  ];
}

function tradeCaveats({ trades, figures, analyst }: Reported): string[] {
  const unclear = trades.filter(({ judgement }) => judgement?.reason === "both").length;
  return [
    unclear > 0 &&
      `Trades that touched stop and target within one shortest candle count as lost: ${unclear}.`,
    figures.counts.pending > 0 &&
      "The last trade was still open where the data ends: it is in no figure.",
    analyst.failed > 0 &&
      `Bars at which the analyst gave no answer count as no trade: ${analyst.failed}.`,
  ].filter((caveat) => caveat !== false);
}

function sizeCaveat({ figures }: Reported): string[] {
  const { decided } = figures.counts;
  if (decided >= MIN_SIGNALS) return [];
  return [
    `Only ${decided} trades were won or lost. Rates are shown from ${MIN_SIGNALS} trades on: with fewer, chance alone moves them too far.`,
  ];
}

function analystCaveat({ analyst, from }: Reported["options"]): string[] {
  if (analyst === "openai") {
    return [
      "The model may have seen this period in its training. It was shown no later candle, but it may remember what came next: only periods after its training count.",
    ];
  }
  if (from !== "recorded") return [];
  return [
    "In-sample: the rules were written with these recordings at hand, so expect less of them on new data.",
  ];
}

/** States whether the trades beat chance and lost money, and compares them with random entries. */
export function verdictOn({ figures, random }: Pick<Reported, "figures" | "random">): string {
  const { as_good_share: asGood } = random;
  if (figures.trades === 0 || asGood === null) {
    return "No trade was closed, so there is nothing to compare.";
  }
  return [
    edgeStatement(figures),
    ...lossStatement(figures),
    `Random entries with the same levels did as well or better in ${Math.round(100 * asGood)}% of the runs.`,
  ].join(" ");
}

function lossStatement({ expectancy_r: mean }: StrategyMetrics): string[] {
  if (!mean || mean.high >= 0) return [];
  const interval = `95% interval ${formatRange(mean, formatMeanR)}`;
  return [
    `A losing strategy here: ${formatMeanR(mean.value)} per trade after costs (${interval}).`,
  ];
}
