import { formatPoints } from "@shared/contract/edge-statement.ts";
import type {
  ConfidenceBucketMetrics,
  Performance,
  Reliability,
} from "@shared/contract/performance.ts";
import type { ReactNode } from "react";
import { formatCount, formatRate, formatRoundPoints, formatSkill } from "../../lib/format.ts";
import { Card } from "../../ui/card.tsx";
import { ColumnHeadings } from "../../ui/column-headings.tsx";

export function ConfidenceCard({ said, calibrated }: ConfidenceCardProps) {
  return (
    <Card className="flex flex-col gap-6 p-5 sm:p-6">
      <div className="flex flex-col gap-1">
        <h2 className="text-lg font-semibold tracking-tight">Confidence calibration</h2>
        <p className="max-w-3xl text-sm text-ink-muted text-pretty">
          If confidence is well calibrated, 70 of 100 signals with 70% confidence win, and the
          points lie on the diagonal. Below it, the analyst is overconfident.
        </p>
      </div>
      {said.decided === 0 ? (
        <p className="py-6 text-center text-ink-faint">No decided signals yet.</p>
      ) : (
        <div className="grid items-start gap-8 lg:grid-cols-[minmax(0,24rem)_1fr] lg:gap-10">
          <ReliabilityDiagram said={said} calibrated={calibrated} />
          <div className="flex min-w-0 flex-col gap-8">
            <BucketTable buckets={said.buckets} />
            <Scores said={said} calibrated={calibrated} />
            <p className="text-xs leading-relaxed text-ink-faint text-pretty">
              {calibrated.decided > 0
                ? "Calibrated: the confidence adjusted by earlier results of the same analyst version and model, as shown when the signal was made."
                : "Calibration starts after 300 decided signals of one analyst version and model."}
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

const scoreColumns = {
  Measure: "py-2 text-left",
  "As stated by the analyst": "py-2 pl-3 text-right",
  Calibrated: "py-2 pl-3 text-right",
};

function Scores({ said, calibrated }: ConfidenceCardProps) {
  const rows = [
    {
      name: "Brier score",
      note: said.baseline_brier === null ? "0 is perfect" : levelsNote(said.baseline_brier),
      show: ({ brier }: Reliability) => brier?.toFixed(3) ?? "too few",
    },
    {
      name: "Brier skill",
      note: "Above 0, it says more than the levels alone",
      show: ({ brier_skill: skill }: Reliability) => (skill ? <Skill skill={skill} /> : "too few"),
    },
    {
      name: "Calibration error",
      note: "Mean distance from the diagonal",
      show: ({ ece }: Reliability) => (ece === null ? "too few" : formatRate(ece)),
    },
    { name: "Signals", note: "", show: ({ decided }: Reliability) => formatCount(decided) },
  ];
  return (
    <table className="figures w-full text-sm">
      <ColumnHeadings columns={scoreColumns} className="border-b border-line text-ink-faint" />
      <tbody>
        {rows.map(({ name, note, show }) => (
          <tr key={name} className="border-b border-line last:border-b-0">
            <th scope="row" className="py-2 text-left font-normal">
              {name}
              {note && <span className="block text-xs text-ink-faint">{note}</span>}
            </th>
            <td className="py-2 pl-3 text-right font-medium">{show(said)}</td>
            <td className="py-2 pl-3 text-right font-medium">
              {calibrated.decided === 0 ? "\u2013" : show(calibrated)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const levelsNote = (baseline: number): string =>
  `0 is perfect, the levels alone have ${baseline.toFixed(3)}`;

function Skill({ skill }: { skill: NonNullable<Reliability["brier_skill"]> }) {
  return (
    <>
      {formatSkill(skill.value)}
      <Interval>
        {formatSkill(skill.low)} to {formatSkill(skill.high)}
      </Interval>
    </>
  );
}

const bucketColumns = {
  Confidence: "py-2 text-left",
  Decided: "py-2 pl-1.5 sm:pl-2",
  Won: "py-2 pl-1.5 sm:pl-2",
  Baseline: "py-2 pl-1.5 sm:pl-2",
  Edge: "py-2 pl-1.5 sm:pl-2",
};

function BucketTable({ buckets }: { buckets: readonly ConfidenceBucketMetrics[] }) {
  return (
    <table className="figures w-full text-xs sm:text-sm">
      <ColumnHeadings
        columns={bucketColumns}
        className="border-b border-line text-right text-ink-faint"
      />
      <tbody>
        {buckets.map((bucket) => (
          <BucketRow key={bucket.from} bucket={bucket} />
        ))}
      </tbody>
    </table>
  );
}

function BucketRow({ bucket }: { bucket: ConfidenceBucketMetrics }) {
  const { from, to, decided, wins, win_rate: rate, no_edge_rate: noEdge, lift } = bucket;
  return (
    <tr className="border-b border-line text-right last:border-b-0">
      <th scope="row" className="py-2.5 text-left font-normal whitespace-nowrap">
        {from}–{to}%
      </th>
      <td className="py-2.5 pl-1.5 sm:pl-2">
        {formatCount(decided)}
        <span className="block text-[0.6875rem] text-ink-faint sm:text-xs">
          {formatCount(wins)} won
        </span>
      </td>
      {rate && noEdge !== null && lift ? (
        <>
          <td className="py-2.5 pl-1.5 sm:pl-2">
            <span className="font-medium">{formatRate(rate.value)}</span>
            <Interval>
              {Math.round(rate.low * 100)} to {Math.round(rate.high * 100)}%
            </Interval>
          </td>
          <td className="py-2.5 pl-1.5 sm:pl-2">{formatRate(noEdge)}</td>
          <td className="py-2.5 pl-1.5 sm:pl-2">
            {formatPoints(lift.value)} pp
            <Interval>
              {formatRoundPoints(lift.low)} to {formatRoundPoints(lift.high)} pp
            </Interval>
          </td>
        </>
      ) : (
        <td colSpan={3} className="py-2.5 pl-1.5 sm:pl-2 text-ink-faint">
          Not enough signals
        </td>
      )}
    </tr>
  );
}

const Interval = ({ children }: { children: ReactNode }) => (
  <span className="block text-[0.6875rem] text-ink-faint sm:text-xs whitespace-nowrap">
    {children}
  </span>
);

const SIZE = 320;
const MARGIN = 34;
const PLOT = SIZE - MARGIN - 10;
const TICKS = [0, 0.25, 0.5, 0.75, 1];

const x = (share: number) => MARGIN + share * PLOT;
const y = (share: number) => 10 + (1 - share) * PLOT;

const radius = (share: number) => 3 + 6 * Math.sqrt(share);

function ReliabilityDiagram({ said, calibrated }: ConfidenceCardProps) {
  return (
    <figure className="flex flex-col gap-3">
      <svg
        role="img"
        aria-label="Stated confidence and observed win rate"
        viewBox={`0 0 ${SIZE} ${SIZE}`}
        className="figures w-full max-w-sm fill-ink-faint text-[11px]"
      >
        <Axes />
        <path
          d={`M${x(0)} ${y(0)}L${x(1)} ${y(1)}`}
          className="stroke-ink-faint"
          strokeDasharray="4 4"
        />
        <Dots reliability={said} className="fill-accent/70 stroke-accent" />
        <Dots reliability={calibrated} className="fill-buy/70 stroke-buy" />
      </svg>
      <figcaption className="flex flex-wrap gap-x-5 gap-y-1.5 text-xs text-ink-muted">
        <Key className="size-2.5 rounded-full bg-accent">As stated by the analyst</Key>
        {calibrated.decided > 0 && <Key className="size-2.5 rounded-full bg-buy">Calibrated</Key>}
        <Key className="w-4 border-t border-dashed border-ink-faint">Perfectly calibrated</Key>
      </figcaption>
    </figure>
  );
}

function Axes() {
  return (
    <>
      {TICKS.map((tick) => (
        <g key={tick}>
          <line x1={x(0)} x2={x(1)} y1={y(tick)} y2={y(tick)} className="stroke-line" />
          <text x={MARGIN - 6} y={y(tick) + 4} textAnchor="end">
            {tick * 100}
          </text>
          <text x={x(tick)} y={y(0) + 16} textAnchor="middle">
            {tick * 100}
          </text>
        </g>
      ))}
      <text x={x(1)} y={y(0) - 6} textAnchor="end">
        Confidence, %
      </text>
      <text x={x(0) + 6} y={y(1) + 12}>
        Won, %
      </text>
    </>
  );
}

function Dots({ reliability, className }: { reliability: Reliability; className: string }) {
  return reliability.buckets.map(({ from, decided, stated, won }) => (
    <circle
      key={from}
      cx={x(stated)}
      cy={y(won)}
      r={radius(decided / reliability.decided)}
      className={className}
    />
  ));
}

function Key({ className, children }: { className: string; children: string }) {
  return (
    <span className="inline-flex items-center gap-2">
      <span aria-hidden className={className} />
      {children}
    </span>
  );
}
