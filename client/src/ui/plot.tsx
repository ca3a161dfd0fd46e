import type { ReactNode } from "react";
import { formatDay } from "../lib/format.ts";

/** Units of a drawing, which is stretched to its box. */
export const PLOT_SIZE = 1_000;

export interface ValueRange {
  low: number;
  high: number;
}

export interface PlotScale extends ValueRange {
  ticks: number[];
}

const ROUND_STEPS = [1, 2, 2.5, 5, 10];
const STEPS = 4;

/** An axis with round steps that has 0 and all values. */
export function scaleFor(values: readonly number[]): PlotScale {
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

/** Where the point of a time and a value is drawn. Values grow upwards. */
export const placeOf = (
  [at, value]: [at: number, value: number],
  { times, values }: { times: ValueRange; values: ValueRange },
): [x: number, y: number] => [
  shareOf(at, times) * PLOT_SIZE,
  (1 - shareOf(value, values)) * PLOT_SIZE,
];

interface PlotProps {
  scale: PlotScale;
  /** Unix milliseconds of the first and last point. */
  times: ValueRange;
  children: ReactNode;
}

/** The axes of results over time, around what is drawn in a square of `PLOT_SIZE`. Screen readers get a table or a sentence. */
export function Plot({ scale, times, children }: PlotProps) {
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
        <PlotArea className="relative size-full">{children}</PlotArea>
      </div>
      <div className="flex justify-between pl-10">
        <span>{dayText(times.low)}</span>
        <span>{dayText(times.high)}</span>
      </div>
    </div>
  );
}

const dayText = (at: number): string => formatDay(new Date(at).toISOString());

interface PlotAreaProps {
  className: string;
  children: ReactNode;
}

/** A drawing that is stretched to its box. */
export const PlotArea = ({ className, children }: PlotAreaProps) => (
  <svg
    aria-hidden="true"
    viewBox={`0 0 ${PLOT_SIZE} ${PLOT_SIZE}`}
    preserveAspectRatio="none"
    className={`overflow-visible ${className}`}
  >
    {children}
  </svg>
);

interface PlotLineProps {
  points: readonly (readonly [x: number, y: number])[];
  /** Of another line than the only one. */
  look?: { stroke: string; strokeWidth: number; opacity: number };
}

export const PlotLine = ({ points, look }: PlotLineProps) => (
  <polyline
    points={points.join(" ")}
    fill="none"
    vectorEffect="non-scaling-stroke"
    strokeLinejoin="round"
    {...(look ?? { strokeWidth: "1.75", className: "stroke-accent" })}
  />
);
