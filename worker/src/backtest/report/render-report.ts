import { Html, html } from "@shared/node/html.ts";
import { comparisonTable } from "./comparison-table.ts";
import { equityChart } from "./equity-chart.ts";
import {
  formatCount,
  formatFall,
  formatMeanR,
  formatR,
  formatRange,
  formatShare,
  formatTime,
  formatUsd,
} from "./formats.ts";
import type { BacktestReport } from "./report-schema.ts";
import { REPORT_STYLE } from "./report-style.ts";
import { tradesTable } from "./trades-table.ts";

/** The report as one HTML page that needs nothing else: no script, no font and no picture from anywhere. */
export function renderReport(report: BacktestReport): string {
  const { options, data, verdict, caveats, trades } = report;
  const title = `Backtest of ${options.symbol} ${options.timeframe}`;
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<style>${new Html(REPORT_STYLE)}</style>
</head>
<body>
<main>
<header>
<p class="eyebrow">Backtest</p>
<h1>${options.symbol}, ${options.timeframe} candles, ${analystName(report)}</h1>
<p class="sub">${formatTime(data.from)} to ${formatTime(data.to)} UTC · ${formatCount(data.candles)} candles ${sourceName(report)}</p>
</header>
<section class="verdict"><p>${verdict}</p></section>
${keyFigures(report)}
<section><h2>Result over time</h2>${equityChart(report.curves)}</section>
<section class="notes"><h2>Limitations</h2><ul>${caveats.map((caveat) => html`<li>${caveat}</li>`)}</ul></section>
<section><h2>Compared with chance, a rule, and holding</h2>${comparisonTable(report)}</section>
<section><details><summary>All trades (${trades.length})</summary>${tradesTable(report)}</details></section>
${method(report)}
<footer>Made on ${formatTime(report.made_at)} UTC by version ${report.product_version}, report format ${report.version}. Not financial advice.</footer>
</main>
</body>
</html>
`;
  return page.text;
}

function analystName({ analyst }: BacktestReport): string {
  if (analyst.name === "rules") return "rule-based analyst";
  return analyst.model === null ? analyst.name : `analyst ${analyst.model}`;
}

function sourceName({ options, data }: BacktestReport): string {
  if (options.from === "provider") return `from ${data.provider}`;
  return options.from === "csv" ? "from your file" : "from a recording";
}

function keyFigures({ figures, random, hold }: BacktestReport): Html {
  const { total_r: total, result_usd, win_rate: rate, expectancy_r: mean, counts } = figures;
  const tooFew = "too few trades";
  const cards = [
    {
      name: "Analyst",
      value: formatR(total),
      note: `${formatUsd(result_usd)}, ${formatCount(figures.trades)} trades closed`,
    },
    {
      name: "Random entries",
      value: random.total_r ? formatR(random.total_r.mean) : "–",
      note: random.total_r ? `nine of ten: ${formatRange(random.total_r, formatR)}` : "no trades",
    },
    {
      name: "Win rate",
      value: rate ? formatShare(rate.value) : `${counts.wins} of ${counts.decided}`,
      note: rate ? `baseline ${formatShare(figures.no_edge_rate ?? 0)}` : tooFew,
    },
    {
      name: "Expectancy",
      value: mean ? formatMeanR(mean.value) : "–",
      note: mean ? formatRange(mean, formatMeanR) : tooFew,
    },
    {
      name: "Max drawdown",
      value: figures.max_drawdown_r === null ? "–" : formatFall(figures.max_drawdown_r),
      note: `holding fell ${formatShare(hold.max_drawdown_percent / 100)}`,
    },
  ];
  return html`<dl class="cards">${cards.map(
    ({ name, value, note }) =>
      html`<div><dt>${name}</dt><dd>${value}<small>${note}</small></dd></div>`,
  )}</dl>`;
}

function method({ options, analyst, bars, random, hold }: BacktestReport): Html {
  const calls = analyst.calls
    ? ` ${formatCount(analyst.calls.made)} calls were made, ${formatCount(analyst.calls.kept)} answers were kept from an earlier run.`
    : "";
  const every = options.every === 1 ? "every close" : `every ${formatCount(options.every)} closes`;
  const perR =
    hold.percent_per_r === null
      ? ""
      : ` Here 1 R is ${hold.percent_per_r.toFixed(2)}% of the price on average, the mean distance of the analyst's stops.`;
  return html`<section class="method"><h2>How it was made</h2><ul>
<li>The same way as a live signal: candles, analyst, check, size, and the judge of the performance page. At each close only candles that had closed by then were there, and the clock said so too.</li>
<li>${formatCount(options.warm_up)} candles settled the indicators; then ${formatCount(bars)} closes were walked. While no trade was open, the analyst was asked at ${every}: ${formatCount(analyst.asked)} times, ${formatCount(analyst.waits)} times it said WAIT.${calls}</li>
<li>One trade at a time. A stake of ${formatUsd(options.amount).replace("+", "")}, ${options.risk_percent}% of it at risk, leverage ${options.leverage}, the same for each trade.</li>
<li>Random entries: the analyst's own distances of entry, stop and target in ATR, put on random bars and bought or sold by the toss of a coin, ${formatCount(random.repetitions)} times (seed ${options.seed}), judged alike.</li>
<li>ATR rule: a close beyond the highest high or lowest low of 20 candles is followed, stop 2 ATR(14), target 4 ATR, 24 candles at most, sized alike. No strategy takes a trade whose costs exceed 15% of its risk.</li>
<li>Holding: bought at the first open, valued at the last close, net of the same costs.${perR} A holder who risks as much at a time makes that many R.</li>
</ul></section>`;
}
