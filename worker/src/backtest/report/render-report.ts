import type { Resolution } from "@shared/contract/resolution.ts";
import { Html, html } from "@shared/runtime/html.ts";
import { comparisonTable } from "./comparison-table.ts";
import { equityChart } from "./equity-chart.ts";
import {
  formatCost,
  formatCount,
  formatMeanR,
  formatPrice,
  formatTime,
  formatUsd,
  NO_VALUE,
} from "./formats.ts";
import type { BacktestReport, ReportedTrade } from "./report-schema.ts";

/** Renders the report as one self-contained HTML page without scripts and external resources. */
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

const REASONS: Record<Resolution["reason"], string> = {
  target: "Won at its target",
  stop: "Lost at its stop",
  both: "Lost: stop and target in one candle",
  "hold-over": "Closed at the hold limit",
  "not-filled": "Not filled",
};

function tradesTable({ trades, options }: BacktestReport): Html {
  if (trades.length === 0) return html`<p>The analyst advised no trade.</p>`;
  return html`<div class="scroll" role="region" aria-label="Trades" tabindex="0"><table class="trades">
<thead><tr><th scope="col">Made (UTC)</th><th scope="col">Signal</th><th scope="col">Entry</th><th scope="col">Stop</th><th scope="col">Target</th><th scope="col">Confidence</th><th scope="col">Outcome</th><th scope="col">Ended (UTC)</th><th scope="col">Costs</th><th scope="col">Result</th><th scope="col">USD</th></tr></thead>
<tbody>${trades.map((trade) => tradeRow(trade, options.symbol))}</tbody>
</table></div>`;
}

function tradeRow(trade: ReportedTrade, symbol: string): Html {
  const { judgement, confidence, dollar_risk: risk, cost_r: cost } = trade;
  const price = (value: number) => formatPrice(symbol, value);
  const r = judgement?.r_multiple ?? null;
  const sign = signOf(r);
  return html`<tr><th scope="row">${formatTime(trade.at)}</th><td class="${trade.side.toLowerCase()}">${trade.side}</td><td>${price(trade.entry)}</td><td>${price(trade.stop_loss)}</td><td>${price(trade.take_profit)}</td><td>${confidence === null ? NO_VALUE : `${Math.round(confidence)}%`}</td><td>${judgement ? REASONS[judgement.reason] : "Still open at the end"}</td><td>${judgement ? formatTime(judgement.resolved_at) : NO_VALUE}</td><td>${cost === null ? NO_VALUE : formatCost(cost)}</td><td class="${sign}">${r === null ? NO_VALUE : formatMeanR(r)}</td><td class="${sign}">${r === null ? NO_VALUE : formatUsd(r * risk)}</td></tr>
`;
}

function signOf(r: number | null): "up" | "down" | "even" {
  if (r === null || r === 0) return "even";
  return r > 0 ? "up" : "down";
}

const REPORT_STYLE = `
:root { color-scheme: light dark;
  --ground: #f6f7f9; --card: #ffffff; --line: #dfe3e9; --ink: #141a22; --muted: #535f6e;
  --accent: #1d5fd0; --rule: #a15c00; --hold: #67707c; --band: #1d5fd01f; --up: #0b7a53; --down: #c22f2f; --note: #fff7e6; --note-line: #e3b341; }
@media (prefers-color-scheme: dark) { :root {
  --ground: #0a0d12; --card: #10151c; --line: #263140; --ink: #e9edf3; --muted: #aab4c2;
  --accent: #6aa6ff; --rule: #f2bd52; --hold: #98a4b3; --band: #6aa6ff26; --up: #3ad29f; --down: #ff8080; --note: #1d1a10; --note-line: #8a6d1f; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 16px/1.5 ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; font-variant-numeric: tabular-nums; }
main { max-width: 72rem; margin: 0 auto; padding: 2.5rem 1rem 4rem; display: grid; gap: 1.5rem; grid-template-columns: minmax(0, 1fr); }
h1 { font-size: clamp(1.6rem, 4vw, 2.25rem); line-height: 1.2; margin: 0; letter-spacing: -0.02em; }
h2 { font-size: 1.15rem; margin: 0 0 1rem; }
p { margin: 0; }
small { display: block; color: var(--muted); font-size: 0.8125rem; font-weight: 400; }
.sub { color: var(--muted); margin-top: 0.35rem; }
.eyebrow { color: var(--accent); font-size: 0.8125rem; font-weight: 600; letter-spacing: 0.06em; text-transform: uppercase; margin-bottom: 0.35rem; }
section { background: var(--card); border: 1px solid var(--line); border-radius: 1rem; padding: 1.25rem; }
.verdict { font-size: 1.15rem; font-weight: 600; border-left: 4px solid var(--accent); }
.notes { background: var(--note); border-color: var(--note-line); }
.notes ul, .method ul { margin: 0; padding-left: 1.2rem; display: grid; gap: 0.4rem; }
.up { color: var(--up); } .down { color: var(--down); } .buy { color: var(--up); font-weight: 600; } .sell { color: var(--down); font-weight: 600; }
.chart { margin: 0; }
.legend { display: flex; flex-wrap: wrap; gap: 0.35rem 1.25rem; margin-bottom: 0.9rem; font-size: 0.875rem; color: var(--muted); }
.key::before { content: ""; display: inline-block; width: 1.4rem; height: 0; border-top: 3px solid; margin-right: 0.5rem; vertical-align: middle; }
.key.analyst::before { border-color: var(--accent); } .key.rule::before { border-color: var(--rule); }
.key.hold::before { border-color: var(--hold); border-top-style: dashed; }
.key.band::before { height: 0.9rem; border-top: 0; background: linear-gradient(var(--accent), var(--accent)) center / 100% 1px no-repeat, var(--band); }
.plot { position: relative; height: clamp(15rem, 42vw, 24rem); margin-right: 4rem; }
.plot svg { width: 100%; height: 100%; display: block; overflow: visible; }
.plot line, .plot polyline { fill: none; vector-effect: non-scaling-stroke; stroke-linejoin: round; }
.grid { stroke: var(--line); } .zero { stroke: var(--muted); }
.plot .analyst { stroke: var(--accent); stroke-width: 2.5; } .plot .rule { stroke: var(--rule); stroke-width: 1.75; }
.plot .hold { stroke: var(--hold); stroke-width: 1.5; stroke-dasharray: 5 4; } .plot .mean { stroke: var(--accent); stroke-width: 1; opacity: 0.7; }
.plot .band { fill: var(--band); }
.tick { position: absolute; left: calc(100% + 0.5rem); transform: translateY(-50%); font-size: 0.75rem; color: var(--muted); white-space: nowrap; }
.dates { display: flex; justify-content: space-between; margin: 0.5rem 4rem 0 0; font-size: 0.75rem; color: var(--muted); }
.scroll { overflow-x: auto; background: linear-gradient(to right, var(--card) 40%, transparent) left / 2.5rem 100%, linear-gradient(to left, var(--card) 40%, transparent) right / 2.5rem 100%, linear-gradient(to right, var(--line), transparent) left / 1rem 100%, linear-gradient(to left, var(--line), transparent) right / 1rem 100%; background-repeat: no-repeat; background-attachment: local, local, scroll, scroll; } .scroll:focus-visible { outline: 2px solid var(--accent); outline-offset: 4px; border-radius: 0.25rem; }
table { border-collapse: collapse; width: 100%; font-size: 0.9375rem; }
th, td { text-align: right; padding: 0.6rem 0.75rem; border-bottom: 1px solid var(--line); vertical-align: top; }
th:first-child, td:first-child { text-align: left; padding-left: 0; } th:last-child, td:last-child { padding-right: 0; }
tbody tr:last-child > * { border-bottom: 0; }
thead th { color: var(--muted); font-weight: 600; font-size: 0.875rem; }
.foot { color: var(--muted); font-size: 0.8125rem; margin-top: 0.75rem; }
.comparison tbody td:nth-child(2) { font-weight: 650; } .comparison { min-width: 44rem; } .comparison th:first-child { width: 30%; }
.trades { min-width: 62rem; font-size: 0.875rem; white-space: nowrap; } .trades th[scope=row] { font-weight: 400; } .trades td:nth-child(2), .trades td:nth-child(7), .trades th:nth-child(2), .trades th:nth-child(7) { text-align: left; }
summary { cursor: pointer; font-size: 1.15rem; font-weight: 700; } summary:focus-visible { outline: 2px solid var(--accent); outline-offset: 4px; } details[open] summary { margin-bottom: 1rem; }
footer { color: var(--muted); font-size: 0.875rem; }
@media (max-width: 40rem) { .comparison :is(th, td):first-child { position: sticky; left: 0; background: var(--card); } .comparison th:first-child small { display: none; } .plot { margin-right: 3.6rem; } .dates { margin-right: 3.6rem; } .dates span:not(:first-child, :last-child) { display: none; } .comparison { min-width: max-content; } .comparison th:first-child { width: 6.75rem; white-space: normal; } .comparison :is(td, thead th) { white-space: nowrap; } }
@media print { body { background: none; } section { break-inside: avoid; } .scroll { overflow: visible; } }
`;
