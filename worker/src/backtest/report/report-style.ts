/** Style of the report: the system's own fonts, light or dark as the reader likes it, and fit to be printed. */
export const REPORT_STYLE = `
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
.cards { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fit, minmax(min(10.5rem, 100%), 1fr)); background: none; border: 0; padding: 0; margin: 0; }
.cards div { background: var(--card); border: 1px solid var(--line); border-radius: 1rem; padding: 1rem 1.25rem; }
.cards dt { color: var(--muted); font-size: 0.875rem; }
.cards dd { margin: 0.15rem 0 0; font-size: 1.6rem; font-weight: 650; letter-spacing: -0.02em; }
.cards dd small { letter-spacing: 0; margin-top: 0.15rem; }
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
@media (max-width: 40rem) { .comparison :is(th, td):first-child { position: sticky; left: 0; background: var(--card); } .comparison th:first-child small { display: none; } .plot { margin-right: 3.6rem; } .dates { margin-right: 3.6rem; } .dates span:not(:first-child, :last-child) { display: none; } .comparison { min-width: max-content; } .comparison th:first-child { width: 6.75rem; white-space: normal; } .comparison :is(td, thead th) { white-space: nowrap; } .cards div:last-child:nth-child(odd) { grid-column: 1 / -1; } }
@media print { body { background: none; } section, .cards div { break-inside: avoid; } .scroll { overflow: visible; } }
`;
