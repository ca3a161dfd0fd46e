import type { Performance, Reliability } from "@shared/contract/performance.ts";
import { Card } from "../../ui/card.tsx";
import { BucketTable } from "./bucket-table.tsx";
import { formatCount, formatRate, formatScore } from "./format-figures.ts";
import { ReliabilityDiagram } from "./reliability-diagram.tsx";
import { confidenceTexts as texts } from "./texts.ts";

/** Whether signals win as often as their confidence says. */
export function ConfidenceCard({ said, calibrated }: ConfidenceCardProps) {
  return (
    <Card className="flex flex-col gap-6 p-5 sm:p-6">
      <div className="flex flex-col gap-1">
        <h2 className="text-lg font-semibold tracking-tight">{texts.heading}</h2>
        <p className="max-w-3xl text-sm text-ink-muted text-pretty">{texts.lead}</p>
      </div>
      {said.decided === 0 ? (
        <p className="py-6 text-center text-ink-faint">{texts.none}</p>
      ) : (
        <div className="grid items-start gap-8 lg:grid-cols-[minmax(0,24rem)_1fr] lg:gap-10">
          <ReliabilityDiagram said={said} calibrated={calibrated} />
          <div className="flex min-w-0 flex-col gap-8">
            <BucketTable buckets={said.buckets} />
            <Scores said={said} calibrated={calibrated} />
            <p className="text-xs leading-relaxed text-ink-faint text-pretty">
              {calibrated.decided > 0 ? texts.calibratedNote : texts.noCalibration}
            </p>
          </div>
        </div>
      )}
    </Card>
  );
}

interface ConfidenceCardProps {
  said: Performance["confidence"];
  calibrated: Performance["calibrated"];
}

const score = (value: number | null) => (value === null ? texts.unknown : formatScore(value));
const rate = (value: number | null) => (value === null ? texts.unknown : formatRate(value));

function Scores({ said, calibrated }: ConfidenceCardProps) {
  const row = (format: (of: Reliability) => string) => [format(said), format(calibrated)];
  const rows = [
    { name: texts.brier, note: texts.brierNote, values: row(({ brier }) => score(brier)) },
    { name: texts.ece, note: texts.eceNote, values: row(({ ece }) => rate(ece)) },
    { name: texts.signals, note: "", values: row(({ decided }) => formatCount(decided)) },
  ];
  return (
    <table className="figures w-full text-sm">
      <thead>
        <tr className="border-b border-line text-ink-faint">
          <th scope="col" className="py-2 text-left font-medium">
            {texts.measure}
          </th>
          <th scope="col" className="py-2 pl-3 text-right font-medium">
            {texts.said}
          </th>
          <th scope="col" className="py-2 pl-3 text-right font-medium">
            {texts.calibrated}
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ name, note, values: [first, second] }) => (
          <tr key={name} className="border-b border-line last:border-b-0">
            <th scope="row" className="py-2 text-left font-normal">
              {name}
              {note && <span className="block text-xs text-ink-faint">{note}</span>}
            </th>
            <td className="py-2 pl-3 text-right font-medium">{first}</td>
            <td className="py-2 pl-3 text-right font-medium">
              {calibrated.decided === 0 ? "\u2013" : second}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
