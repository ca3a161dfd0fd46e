import type { Performance } from "@shared/contract/performance.ts";
import { formatDay, formatR } from "../../lib/format.ts";
import { Card } from "../../ui/card.tsx";
import { ColumnHeadings } from "../../ui/column-headings.tsx";
import { Plot, PlotLine, placeOf, scaleFor } from "../../ui/plot.tsx";

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

function EquityChart({ curve }: { curve: Performance["equity"] }) {
  const scale = scaleFor(curve.map(({ r }) => r));
  const start = Date.parse(curve.at(0)?.at ?? "");
  const end = Date.parse(curve.at(-1)?.at ?? "");
  const place = (at: number, r: number) =>
    placeOf([at, r], { times: { low: start, high: Math.max(end, start + 1) }, values: scale });
  const zero = place(start, 0);
  const points = [zero, ...curve.map(({ at, r }) => place(Date.parse(at), r))];
  const [right] = points.at(-1) ?? zero;
  return (
    <Plot scale={scale} times={{ low: start, high: end }}>
      <polygon points={[zero, ...points, [right, zero[1]]].join(" ")} className="fill-accent/12" />
      <PlotLine points={points} />
    </Plot>
  );
}

/** Returns at most `most` evenly spread items, including the last one. */
export function sampleEvenly<Item>(items: readonly Item[], most: number): Item[] {
  const every = Math.max(1, Math.ceil(items.length / most));
  return items.filter((_, index) => (items.length - 1 - index) % every === 0);
}
