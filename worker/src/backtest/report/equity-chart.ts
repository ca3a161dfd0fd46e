import { Html, html } from "@shared/runtime/html.ts";
import { formatDay, formatR } from "./formats.ts";
import type { EquityCurves } from "./report-schema.ts";

/** Units of the drawing. It is stretched to the width of the page, its labels are not. */
const WIDTH = 1_000;
const HEIGHT = 400;

const GRID_LINES = 6;
const DATES = 4;

const MARGIN = 0.06;

interface Scale {
  x: (index: number) => number;
  y: (r: number) => number;
}

/** Cumulative R as SVG with HTML labels, which stay readable on narrow screens. */
export function equityChart(curves: EquityCurves): Html {
  const { times, analyst, atr_rule: rule, hold, random } = curves;
  const extent = extentOf(curves);
  const scale: Scale = {
    x: (index) => (index * WIDTH) / Math.max(1, times.length - 1),
    y: (r) => ((extent.high - r) * HEIGHT) / (extent.high - extent.low),
  };
  const ticks = niceTicks(extent);
  const means = random?.map(({ mean }) => mean);
  return html`<figure class="chart">
<figcaption class="legend">${legend(curves)}</figcaption>
<div class="plot">
<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${summary(curves)}">
${ticks.map((r) => html`<line class="${r === 0 ? "zero" : "grid"}" x1="0" x2="${WIDTH}" y1="${point(scale.y(r))}" y2="${point(scale.y(r))}"/>`)}
${random && html`<polygon class="band" points="${bandPoints(random, scale)}"/>`}
${means && line("mean", means, scale)}
${hold && line("hold", hold, scale)}
${line("rule", rule, scale)}
${line("analyst", analyst, scale)}
</svg>
${ticks.map((r) => html`<span class="tick" style="top:${point((100 * scale.y(r)) / HEIGHT)}%">${formatR(r)}</span>`)}
</div>
<div class="dates">${datesOf(times).map((day) => html`<span>${day}</span>`)}</div>
</figure>`;
}

function legend({ hold, random }: EquityCurves): Html[] {
  const keys = [
    { name: "analyst", text: "Analyst" },
    { name: "rule", text: "ATR rule" },
    ...(hold ? [{ name: "hold", text: "Holding, in R" }] : []),
    ...(random ? [{ name: "band", text: "Random entries: mean, and nine of ten" }] : []),
  ];
  return keys.map(({ name, text }) => html`<span class="key ${name}">${text}</span>`);
}

function summary({ times, analyst, atr_rule: rule, random }: EquityCurves): string {
  const band = random?.at(-1);
  const chance = band
    ? `; nine of ten random runs end between ${formatR(band.low)} and ${formatR(band.high)}`
    : "";
  return (
    `Result in R from ${formatDay(times[0] ?? "")} to ${formatDay(times.at(-1) ?? "")}: ` +
    `the analyst ends at ${formatR(analyst.at(-1) ?? 0)}, the ATR rule at ${formatR(rule.at(-1) ?? 0)}${chance}.`
  );
}

function extentOf({ analyst, atr_rule: rule, hold, random }: EquityCurves): {
  low: number;
  high: number;
} {
  const band = random?.flatMap(({ low, high }) => [low, high]) ?? [];
  const values = [0, ...analyst, ...rule, ...(hold ?? []), ...band];
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const margin = Math.max(high - low, 1) * MARGIN;
  return { low: low - margin, high: high + margin };
}

/** Round numbers within a range, in steps of 1, 2 or 5 times a power of ten. */
export function niceTicks({ low, high }: { low: number; high: number }): number[] {
  const rough = (high - low) / GRID_LINES;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5].find((factor) => factor * power >= rough) ?? 10);
  const first = Math.ceil(low / step);
  const count = Math.floor(high / step) - first + 1;
  return Array.from({ length: count }, (_, index) => (first + index) * step);
}

function datesOf(times: readonly string[]): string[] {
  const last = times.length - 1;
  const places = Array.from({ length: DATES }, (_, index) =>
    Math.round((index * last) / (DATES - 1)),
  );
  return [...new Set(places)].map((place) => formatDay(times[place] ?? ""));
}

const point = (value: number): string => value.toFixed(1);

function line(name: string, values: readonly number[], { x, y }: Scale): Html {
  const points = values.map((r, index) => `${point(x(index))},${point(y(r))}`).join(" ");
  return html`<polyline class="${name}" points="${points}"/>`;
}

function bandPoints(band: readonly { low: number; high: number }[], { x, y }: Scale): Html {
  const at = (r: number, index: number) => `${point(x(index))},${point(y(r))}`;
  const upper = band.map(({ high }, index) => at(high, index));
  const lower = band.map(({ low }, index) => at(low, index)).reverse();
  return new Html([...upper, ...lower].join(" "));
}
