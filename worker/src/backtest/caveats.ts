import { ENOUGH_SIGNALS } from "@shared/contract/performance.ts";
import { roundTripPercent } from "@shared/contract/trading-costs.ts";
import { mean } from "simple-statistics";
import { formatMeanR, formatPoints, formatRange } from "./report/formats.ts";
import type { BacktestReport } from "./report/report-schema.ts";

type Reported = Pick<
  BacktestReport,
  "options" | "bars" | "analyst" | "figures" | "random" | "hold" | "trades" | "stopped_early"
>;

/** Limits of a backtest that its reader has to know, most important first. */
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

/** The costs of the trades as they were deducted: the closer the stop, the more of an R they are. */
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
  const caveats = [
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
  return caveats.filter(({ isTrue }) => isTrue).map(({ text }) => text);
}

function sizeCaveat({ figures }: Reported): string[] {
  const { decided } = figures.counts;
  if (decided < ENOUGH_SIGNALS) {
    return [
      `Only ${decided} trades were won or lost. Rates are shown from ${ENOUGH_SIGNALS} trades on: with fewer, chance alone moves them too far.`,
    ];
  }
  const { lift: edge } = figures;
  if (!edge || edge.low > 0 || edge.high < 0) return [];
  return [
    `${decided} trades were won or lost, too few for an edge to be significant: its 95% interval contains 0.`,
  ];
}

/** Only the product's own recordings are known to be those that the rules were written with. */
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

/** One or two sentences: whether the trades made money, and whether random entries did as well. */
export function verdictOn({ figures, random }: Pick<Reported, "figures" | "random">): string {
  const { total_r: band, as_good_share: asGood } = random;
  if (figures.trades === 0 || !band || asGood === null) {
    return "No trade was closed, so there is nothing to compare.";
  }
  const { total_r: total, expectancy_r: mean, lift: edge } = figures;
  const compared = `in ${Math.round(100 * asGood)}% of the runs, random entries with the same levels did as well or better.`;
  if (mean && mean.high < 0) {
    const interval = `95% interval ${formatRange(mean, formatMeanR)}`;
    return `A losing strategy here: ${formatMeanR(mean.value)} per trade after costs (${interval}). Compared with chance, ${compared}`;
  }
  if (edge && edge.high < 0) {
    const interval = `95% interval ${formatRange(edge, formatPoints)}`;
    return `Worse than chance here: an edge of ${formatPoints(edge.value)} (${interval}); ${compared}`;
  }
  if (total > band.high) return `Better than chance here: ${compared}`;
  if (total < band.low) return `Worse than chance here: ${compared}`;
  return `Not statistically different from chance: ${compared}`;
}
