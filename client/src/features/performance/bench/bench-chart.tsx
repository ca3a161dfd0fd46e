import { useState } from "react";
import { formatDay, formatR } from "../../../lib/format.ts";
import { Card } from "../../../ui/card.tsx";
import { scaleFor, shareOf, type ValueRange } from "../equity-card.tsx";
import type { ShownArm } from "./shown-arm.ts";

/** Units of the drawing, which is stretched to its box. */
const SIZE = 1_000;

/** Evenly around the circle of hues, all of one lightness: each is told apart by its name as well. */
const hueOf = (index: number, count: number): string =>
  `oklch(0.68 0.15 ${Math.round((360 * index) / Math.max(1, count) + 20) % 360})`;

interface Line {
  id: string;
  label: string;
  color: string;
  points: { at: number; r: number; low: number | null; high: number | null }[];
}

/** Cumulative results of all arms. The band is that of the chosen one, as several would hide each other. */
export function BenchChart({ arms }: { arms: readonly ShownArm[] }) {
  const [chosen, setChosen] = useState<string | null>(null);
  const lines = arms
    .map(({ arm, detail }, index): Line => {
      const points = detail?.curve ?? [];
      return {
        ...{ id: arm.id, label: arm.label, color: hueOf(index, arms.length) },
        points: points.map(({ day, ...rest }) => ({ at: Date.parse(day), ...rest })),
      };
    })
    .filter(({ points }) => points.length > 0);
  const [first] = lines;
  if (!first) return null;
  const shown = lines.find(({ id }) => id === chosen) ?? first;
  return (
    <Card className="flex flex-col gap-5 p-5 sm:p-6">
      <div className="flex flex-col gap-1">
        <h3 className="text-lg font-semibold tracking-tight">Results over time</h3>
        <p className="text-sm text-ink-muted text-pretty">
          The sum of all trades in R, by the day of the candle. The band around the chosen arm is
          where its true mean would have led; it holds at every look.
        </p>
      </div>
      <Lines lines={lines} shown={shown} />
      <fieldset className="flex flex-wrap gap-2">
        <legend className="sr-only">Arm with its band</legend>
        {lines.map((line) => (
          <button
            key={line.id}
            type="button"
            aria-pressed={line === shown}
            onClick={() => setChosen(line.id)}
            className={`flex min-h-9 items-center gap-2 rounded-control border px-3 text-sm ${line === shown ? "border-line-strong bg-raised" : "border-line text-ink-muted hover:bg-raised"}`}
          >
            <span
              aria-hidden
              className="size-2.5 rounded-full"
              style={{ background: line.color }}
            />
            {line.label}
            <span className="figures">{formatR(line.points.at(-1)?.r ?? 0)}</span>
          </button>
        ))}
      </fieldset>
    </Card>
  );
}

/** How far beyond the lines a band may reach before it is cut off. */
const MAX_BAND = 2;

function Lines({ lines, shown }: { lines: readonly Line[]; shown: Line }) {
  const all = lines.flatMap(({ points }) => points);
  const times = all.map(({ at }) => at);
  const span = { low: Math.min(...times), high: Math.max(...times, Math.min(...times) + 1) };
  const reach = Math.max(...all.map(({ r }) => Math.abs(r)), 1);
  const ends = shown.points.flatMap(({ low, high }) => [low ?? 0, high ?? 0]);
  const limit = (value: number) => Math.min(Math.max(value, -MAX_BAND * reach), MAX_BAND * reach);
  const scale = scaleFor([...all.map(({ r }) => r), ...ends.map(limit)]);
  const place = placing(span, scale);
  const banded = shown.points.filter(({ low }) => low !== null);
  const upper = banded.map(({ at, high }) => place(at, limit(high ?? 0)));
  const lower = banded.map(({ at, low }) => place(at, limit(low ?? 0))).toReversed();
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
          className="relative size-full"
        >
          {banded.length > 1 && (
            <polygon points={[...upper, ...lower].join(" ")} fill={shown.color} opacity="0.14" />
          )}
          {lines.map((line) => (
            <polyline
              key={line.id}
              points={line.points.map(({ at, r }) => place(at, r)).join(" ")}
              fill="none"
              vectorEffect="non-scaling-stroke"
              strokeWidth={line === shown ? "2.5" : "1.25"}
              strokeLinejoin="round"
              stroke={line.color}
              opacity={line === shown ? 1 : 0.7}
            />
          ))}
        </svg>
      </div>
      <div className="flex justify-between pl-10">
        <span>{formatDay(new Date(span.low).toISOString())}</span>
        <span>{formatDay(new Date(span.high).toISOString())}</span>
      </div>
    </div>
  );
}

const placing =
  (span: ValueRange, scale: ValueRange) =>
  (at: number, r: number): string =>
    `${(shareOf(at, span) * SIZE).toFixed(1)},${((1 - shareOf(r, scale)) * SIZE).toFixed(1)}`;
