import type { Performance } from "@shared/contract/performance.ts";
import { Card } from "../../ui/card.tsx";
import { sampleEvenly } from "./chart-scale.ts";
import { EquityChart } from "./equity-chart.tsx";
import { formatDay, formatR } from "./format-figures.ts";
import { equityTexts as texts } from "./texts.ts";

/** Rows of the table beside the curve at most. */
const TABLE_ROWS = 24;

/** The sum of all results over time, as a curve, in a sentence and as a table. */
export function EquityCard({ curve }: { curve: Performance["equity"] }) {
  const [first, last] = [curve.at(0), curve.at(-1)];
  return (
    <Card className="flex flex-col gap-5 p-5 sm:p-6">
      <div className="flex flex-col gap-1">
        <h2 className="text-lg font-semibold tracking-tight">{texts.heading}</h2>
        <p className="text-sm text-ink-muted">{texts.lead}</p>
      </div>
      {!first || !last ? (
        <p className="py-10 text-center text-ink-faint">{texts.none}</p>
      ) : (
        <>
          <EquityChart curve={curve} />
          <p className="figures text-sm text-ink-muted">
            {texts.summary(formatDay(first.at), formatDay(last.at), formatR(last.r))}
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
      <summary className="cursor-pointer rounded font-medium text-accent">{texts.table}</summary>
      <table className="figures mt-3 w-full max-w-md">
        <thead>
          <tr className="border-b border-line text-left text-ink-faint">
            <th scope="col" className="py-2 font-medium">
              {texts.time}
            </th>
            <th scope="col" className="py-2 text-right font-medium">
              {texts.result}
            </th>
          </tr>
        </thead>
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
