import { useState } from "react";
import { formatR } from "../../../lib/format.ts";
import { Card } from "../../../ui/card.tsx";
import { Plot, PlotLine, placeOf, scaleFor } from "../../../ui/plot.tsx";
import type { ShownArm } from "./shown-arm.ts";

/** Evenly around the circle of hues, all of one lightness: each has its name as well. */
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
          where its true mean would have led; it holds at every look. Where the band fills the
          height of the chart, it is wider than that.
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
  // One that is cut off goes on to the end of the chart, where its edge is not taken for a limit.
  const shownAt = (value: number) => Math.min(Math.max(value, scale.low), scale.high);
  const place = (at: number, r: number) => placeOf([at, r], { times: span, values: scale });
  const banded = shown.points.filter(({ low }) => low !== null);
  const upper = banded.map(({ at, high }) => place(at, shownAt(high ?? 0)));
  const lower = banded.map(({ at, low }) => place(at, shownAt(low ?? 0))).toReversed();
  return (
    <Plot scale={scale} times={span}>
      {banded.length > 1 && (
        <polygon points={[...upper, ...lower].join(" ")} fill={shown.color} opacity="0.14" />
      )}
      {lines.map((line) => (
        <PlotLine
          key={line.id}
          points={line.points.map(({ at, r }) => place(at, r))}
          look={{
            stroke: line.color,
            strokeWidth: line === shown ? 2.5 : 1.25,
            opacity: line === shown ? 1 : 0.7,
          }}
        />
      ))}
    </Plot>
  );
}
