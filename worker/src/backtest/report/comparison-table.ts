import { ENOUGH_SIGNALS } from "@shared/contract/constants.ts";
import { type Html, html } from "@shared/runtime/html.ts";
import {
  formatCount,
  formatEdge,
  formatFall,
  formatMeanR,
  formatR,
  formatRange,
  formatRatio,
  formatShare,
  formatSignedShare,
  formatUsd,
  NO_FIGURE,
  orDash,
} from "./formats.ts";
import type { BacktestReport, ChanceBand, HoldFigures, StrategyFigures } from "./report-schema.ts";

interface Cell {
  value: string;
  /** Confidence interval or range. */
  range?: string;
}

interface Row {
  name: string;
  hint: string;
  cells: [analyst: Cell, random: Cell, rule: Cell, hold: Cell];
}

const NONE: Cell = { value: NO_FIGURE };

export function comparisonTable(report: BacktestReport): Html {
  const rows = [...resultRows(report), ...qualityRows(report)];
  return html`<div class="scroll" role="region" aria-label="Comparison" tabindex="0"><table class="comparison">
<thead><tr><td></td><th scope="col">Analyst</th><th scope="col">Random entries<small>mean, nine of ten</small></th><th scope="col">ATR rule</th><th scope="col">Holding</th></tr></thead>
<tbody>${rows.map(renderRow)}</tbody>
</table></div>
<p class="foot">${NO_FIGURE} does not apply, or needs at least ${ENOUGH_SIGNALS} trades.</p>`;
}

function resultRows({ figures, random, atr_rule: rule, hold }: BacktestReport): Row[] {
  return [
    {
      name: "Total",
      hint: "R is the distance from entry to stop",
      cells: [
        totalCell(figures),
        bandCell(random.total_r, formatR),
        totalCell(rule),
        holdCell(hold),
      ],
    },
    {
      name: "Result",
      hint: "With the chosen stake, not compounded; too large a margin cuts a position",
      cells: [usdCell(figures), bandCell(random.result_usd, formatUsd), usdCell(rule), NONE],
    },
    {
      name: "Trades closed",
      hint: "Won, lost, or closed at the hold limit",
      cells: [tradesCell(figures), bandCell(random.trades, formatCount), tradesCell(rule), NONE],
    },
    {
      name: "Win rate",
      hint: "Of those won or lost, with its 95% interval",
      cells: [rateCell(figures), bandCell(random.win_rate, formatShare), rateCell(rule), NONE],
    },
  ];
}

function qualityRows({ figures, random, atr_rule: rule, hold }: BacktestReport): Row[] {
  return [
    {
      name: "Baseline win rate",
      hint: "Without any edge, with the same levels",
      cells: [baselineCell(figures), NONE, baselineCell(rule), NONE],
    },
    {
      name: "Edge",
      hint: "Win rate minus baseline, in percentage points; not significant if its interval contains 0",
      cells: [edgeCell(figures), NONE, edgeCell(rule), NONE],
    },
    {
      name: "Expectancy",
      hint: "Mean result of a trade, after costs",
      cells: [
        expectancyCell(figures),
        bandCell(random.expectancy_r, formatMeanR),
        expectancyCell(rule),
        NONE,
      ],
    },
    {
      name: "Profit factor",
      hint: "Won per R lost",
      cells: [factorCell(figures), NONE, factorCell(rule), NONE],
    },
    {
      name: "Max drawdown",
      hint: "Largest peak-to-trough decline",
      cells: [
        drawdownCell(figures),
        bandCell(random.max_drawdown_r, formatFall),
        drawdownCell(rule),
        holdFall(hold),
      ],
    },
  ];
}

const renderRow = ({ name, hint, cells }: Row): Html =>
  html`<tr><th scope="row">${name}<small>${hint}</small></th>${cells.map(
    ({ value, range }) =>
      html`<td>${value}${range === undefined ? null : html`<small>${range}</small>`}</td>`,
  )}</tr>
`;

const bandCell = (band: ChanceBand | null, format: (value: number) => string): Cell =>
  band ? { value: format(band.mean), range: formatRange(band, format) } : NONE;

const totalCell = ({ total_r }: StrategyFigures): Cell => ({ value: formatR(total_r) });
const usdCell = ({ result_usd }: StrategyFigures): Cell => ({ value: formatUsd(result_usd) });

const tradesCell = ({ trades, counts }: StrategyFigures): Cell => ({
  value: formatCount(trades),
  range: `${counts.wins} won, ${counts.losses} lost, ${counts.expired} expired`,
});

const rateCell = ({ win_rate: rate }: StrategyFigures): Cell =>
  rate ? { value: formatShare(rate.value), range: formatRange(rate, formatShare) } : NONE;

const baselineCell = ({ no_edge_rate }: StrategyFigures): Cell => ({
  value: orDash(no_edge_rate, formatShare),
});

const edgeCell = ({ lift: edge }: StrategyFigures): Cell =>
  edge ? { value: formatEdge(edge.value), range: formatRange(edge, formatEdge) } : NONE;

const expectancyCell = ({ expectancy_r: mean }: StrategyFigures): Cell =>
  mean ? { value: formatMeanR(mean.value), range: formatRange(mean, formatMeanR) } : NONE;

const factorCell = ({ profit_factor }: StrategyFigures): Cell => ({
  value: orDash(profit_factor, formatRatio),
});

const drawdownCell = ({ max_drawdown_r }: StrategyFigures): Cell => ({
  value: orDash(max_drawdown_r, formatFall),
});

const holdCell = ({ return_percent, total_r }: HoldFigures): Cell => ({
  value: formatSignedShare(return_percent / 100),
  ...(total_r !== null && { range: `as much as ${formatR(total_r)}` }),
});

const holdFall = ({ max_drawdown_percent, percent_per_r }: HoldFigures): Cell => ({
  value: formatShare(max_drawdown_percent / 100),
  ...(percent_per_r !== null && {
    range: `as much as ${formatFall(max_drawdown_percent / percent_per_r)}`,
  }),
});
