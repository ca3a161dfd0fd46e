import type { Performance } from "@shared/contract/performance.ts";
import { formatDay, formatR } from "../../lib/format.ts";
import { Card } from "../../ui/card.tsx";
import { ColumnHeadings } from "../../ui/column-headings.tsx";

const TABLE_ROWS = 24;

export function EquityCard({ curve }: { curve: Performance["equity"] }) {
  const first = curve.at(0);
  const last = curve.at(-1);
  return (
    <Card className="flex flex-col gap-5 p-5 sm:p-6">
      <div className="flex flex-col gap-1">
        <h2 className="text-lg font-semibold tracking-tight">Equity curve</h2>
        <p className="text-sm text-ink-muted">
          Each closed trade adds its result in R, the distance from entry to stop.
        </p>
      </div>
      {!first || !last ? (
        <p className="py-10 text-center text-ink-faint">
          The curve starts with the first closed trade.
        </p>
      ) : (
        <>
          <EquityChart curve={curve} />
          <p className="figures text-sm text-ink-muted">
            From {formatDay(first.at)} to {formatDay(last.at)} the signals added up to{" "}
            {formatR(last.r)}.
          </p>
          <CurveTable curve={curve} />
        </>
      )}
    </Card>
  );
}

function CurveTable({ curve }: { curve: Performance["equity"] }) {
  return (
    <details className="text-sm">
      <summary className="cursor-pointer rounded font-medium text-accent">Curve as a table</summary>
      <table className="figures mt-3 w-full max-w-md">
        <ColumnHeadings
          columns={{ Until: "py-2", Result: "py-2 text-right" }}
          className="border-b border-line text-left text-ink-faint"
        />
        <tbody>
          {sampleEvenly(curve, TABLE_ROWS).map(({ at, r }) => (
            <tr key={at} className="border-b border-line">
              <th scope="row" className="py-1.5 text-left font-normal text-ink-muted">
                {formatDay(at)}
              </th>
              <td className="py-1.5 text-right">{formatR(r)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}

/** Units of the drawing, which is stretched to its box. */
const SIZE = 1_000;

function EquityChart({ curve }: { curve: Performance["equity"] }) {
  const scale = scaleFor(curve.map(({ r }) => r));
  const zero = (1 - shareOf(0, scale)) * SIZE;
  const points = pointsOf(curve, scale);
  const line = points.map(([x, y]) => `${x},${y}`).join(" ");
  const first = curve.at(0);
  const last = curve.at(-1);
  return (
    <div aria-hidden className="figures flex flex-col gap-2 text-xs text-ink-faint">
      <div className="relative h-64 pl-10 sm:h-80">
        {scale.ticks.map((tick) => (
          <div
            key={tick}
            className="absolute inset-x-0 flex -translate-y-1/2 items-center gap-2"
            style={{ top: `${(1 - shareOf(tick, scale)) * 100}%` }}
          >
            <span className="w-8 text-right">{`${tick}`.replace("-", "\u2212")}</span>
            <span
              className={`flex-1 border-t ${tick === 0 ? "border-line-strong" : "border-line"}`}
            />
          </div>
        ))}
        <svg
          aria-hidden="true"
          viewBox={`0 0 ${SIZE} ${SIZE}`}
          preserveAspectRatio="none"
          className="relative size-full overflow-visible"
        >
          <polygon
            points={`0,${zero} ${line} ${points.at(-1)?.[0] ?? 0},${zero}`}
            className="fill-accent/12"
          />
          <polyline
            points={line}
            fill="none"
            vectorEffect="non-scaling-stroke"
            strokeWidth="1.75"
            strokeLinejoin="round"
            className="stroke-accent"
          />
        </svg>
      </div>
      {first && last && (
        <div className="flex justify-between pl-10">
          <span>{formatDay(first.at)}</span>
          <span>{formatDay(last.at)}</span>
        </div>
      )}
    </div>
  );
}

function pointsOf(curve: Performance["equity"], scale: ChartScale): [x: number, y: number][] {
  const start = Date.parse(curve.at(0)?.at ?? "");
  const span = Date.parse(curve.at(-1)?.at ?? "") - start || 1;
  const yOf = (r: number) => (1 - shareOf(r, scale)) * SIZE;
  return [
    [0, yOf(0)],
    ...curve.map(({ at, r }): [number, number] => [
      ((Date.parse(at) - start) / span) * SIZE,
      yOf(r),
    ]),
  ];
}

export interface ValueRange {
  low: number;
  high: number;
}

interface ChartScale extends ValueRange {
  ticks: number[];
}

const ROUND_STEPS = [1, 2, 2.5, 5, 10];
const STEPS = 4;

export function scaleFor(values: readonly number[]): ChartScale {
  const least = Math.min(0, ...values);
  const most = Math.max(0, ...values);
  const step = roundStep((most - least || 1) / STEPS);
  const low = Math.floor(least / step);
  const high = Math.max(low + 1, Math.ceil(most / step));
  return {
    low: low * step,
    high: high * step,
    ticks: Array.from({ length: high - low + 1 }, (_, index) => (low + index) * step),
  };
}

function roundStep(rough: number): number {
  const magnitude = 10 ** Math.floor(Math.log10(rough));
  const factor = ROUND_STEPS.find((round) => round * magnitude >= rough) ?? 10;
  return factor * magnitude;
}

export const shareOf = (value: number, { low, high }: ValueRange): number =>
  (value - low) / (high - low);

/** Returns at most `most` evenly spread items, including the last one. */
export function sampleEvenly<Item>(items: readonly Item[], most: number): Item[] {
  const every = Math.max(1, Math.ceil(items.length / most));
  return items.filter((_, index) => (items.length - 1 - index) % every === 0);
}
