import { MIN_SIGNALS } from "@shared/contract/constants.ts";
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
  NO_VALUE,
  orDash,
} from "./formats.ts";
import type { BacktestReport, ChanceBand, HoldMetrics, StrategyMetrics } from "./report-schema.ts";

interface Cell {
  value: string;
  range?: string;
}

interface Row {
  name: string;
  hint: string;
  /** Of the analyst and of the ATR rule. */
  strategy: (figures: StrategyMetrics) => Cell;
  random?: (random: BacktestReport["random"]) => Cell;
  hold?: (hold: HoldMetrics) => Cell;
}

const NONE: Cell = { value: NO_VALUE };

const intervalCell = (
  estimate: { value: number; low: number; high: number } | null,
  format: (value: number) => string,
): Cell =>
  estimate ? { value: format(estimate.value), range: formatRange(estimate, format) } : NONE;

const bandCell = (band: ChanceBand | null, format: (value: number) => string): Cell =>
  band ? { value: format(band.mean), range: formatRange(band, format) } : NONE;

const ROWS: readonly Row[] = [
  {
    name: "Total",
    hint: "R is the distance from entry to stop",
    strategy: ({ total_r }) => ({ value: formatR(total_r) }),
    random: ({ total_r }) => bandCell(total_r, formatR),
    hold: ({ return_percent, total_r }) => ({
      value: formatSignedShare(return_percent / 100),
      ...(total_r !== null && { range: `as much as ${formatR(total_r)}` }),
    }),
  },
  {
    name: "Result",
    hint: "With the chosen stake, not compounded; too large a margin cuts a position",
    strategy: ({ result_usd }) => ({ value: formatUsd(result_usd) }),
    random: ({ result_usd }) => bandCell(result_usd, formatUsd),
  },
  {
    name: "Trades closed",
    hint: "Won, lost, or closed at the hold limit",
    strategy: ({ trades, counts }) => ({
      value: formatCount(trades),
      range: `${counts.wins} won, ${counts.losses} lost, ${counts.expired} expired`,
    }),
    random: ({ trades }) => bandCell(trades, formatCount),
  },
  {
    name: "Win rate",
    hint: "Of those won or lost, with its 95% interval",
    strategy: ({ win_rate }) => intervalCell(win_rate, formatShare),
    random: ({ win_rate }) => bandCell(win_rate, formatShare),
  },
  {
    name: "Baseline win rate",
    hint: "Without any edge, with the same levels",
    strategy: ({ no_edge_rate }) => ({ value: orDash(no_edge_rate, formatShare) }),
  },
  {
    name: "Edge",
    hint: "Win rate minus baseline, in percentage points; not significant if its interval contains 0",
    strategy: ({ lift }) => intervalCell(lift, formatEdge),
  },
  {
    name: "Expectancy",
    hint: "Mean result of a trade, after costs",
    strategy: ({ expectancy_r }) => intervalCell(expectancy_r, formatMeanR),
    random: ({ expectancy_r }) => bandCell(expectancy_r, formatMeanR),
  },
  {
    name: "Profit factor",
    hint: "Won per R lost",
    strategy: ({ profit_factor }) => ({ value: orDash(profit_factor, formatRatio) }),
  },
  {
    name: "Max drawdown",
    hint: "Largest peak-to-trough decline",
    strategy: ({ max_drawdown_r }) => ({ value: orDash(max_drawdown_r, formatFall) }),
    random: ({ max_drawdown_r }) => bandCell(max_drawdown_r, formatFall),
    hold: ({ max_drawdown_percent, percent_per_r }) => ({
      value: formatShare(max_drawdown_percent / 100),
      ...(percent_per_r !== null && {
        range: `as much as ${formatFall(max_drawdown_percent / percent_per_r)}`,
      }),
    }),
  },
];

export function comparisonTable({ figures, random, atr_rule: rule, hold }: BacktestReport): Html {
  const rows = ROWS.map((row) => {
    const cells = [
      row.strategy(figures),
      row.random?.(random) ?? NONE,
      row.strategy(rule),
      row.hold?.(hold) ?? NONE,
    ];
    return html`<tr><th scope="row">${row.name}<small>${row.hint}</small></th>${cells.map(renderCell)}</tr>
`;
  });
  return html`<div class="scroll" role="region" aria-label="Comparison" tabindex="0"><table class="comparison">
<thead><tr><td></td><th scope="col">Analyst</th><th scope="col">Random entries<small>mean, nine of ten</small></th><th scope="col">ATR rule</th><th scope="col">Holding</th></tr></thead>
<tbody>${rows}</tbody>
</table></div>
<p class="foot">${NO_VALUE} does not apply, or needs at least ${MIN_SIGNALS} trades.</p>`;
}

const renderCell = ({ value, range }: Cell): Html =>
  html`<td>${value}${range === undefined ? null : html`<small>${range}</small>`}</td>`;
