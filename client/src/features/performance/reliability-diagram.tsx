import type { Performance } from "@shared/contract/performance.ts";
import { confidenceTexts as texts } from "./texts.ts";

const SIZE = 320;
const MARGIN = 34;
const PLOT = SIZE - MARGIN - 10;
const TICKS = [0, 0.25, 0.5, 0.75, 1];

const x = (share: number) => MARGIN + share * PLOT;
const y = (share: number) => 10 + (1 - share) * PLOT;

/** A bucket's dot: the more signals, the larger, from 3 to 9. */
const radius = (share: number) => 3 + 6 * Math.sqrt(share);

interface DiagramProps {
  said: Performance["confidence"];
  calibrated: Performance["calibrated"];
}

/** Stated confidence against how often it came true; the table beside it has the same figures. */
export function ReliabilityDiagram({ said, calibrated }: DiagramProps) {
  return (
    <figure className="flex flex-col gap-3">
      <svg
        role="img"
        aria-label={texts.diagram}
        viewBox={`0 0 ${SIZE} ${SIZE}`}
        className="figures w-full max-w-sm fill-ink-faint text-[11px]"
      >
        <Axes />
        <line
          x1={x(0)}
          y1={y(0)}
          x2={x(1)}
          y2={y(1)}
          className="stroke-ink-faint"
          strokeDasharray="4 4"
        />
        <Dots reliability={said} className="fill-accent/70 stroke-accent" />
        <Dots reliability={calibrated} className="fill-buy/70 stroke-buy" />
      </svg>
      <figcaption className="flex flex-wrap gap-x-5 gap-y-1.5 text-xs text-ink-muted">
        <Key className="size-2.5 rounded-full bg-accent">{texts.said}</Key>
        {calibrated.decided > 0 && (
          <Key className="size-2.5 rounded-full bg-buy">{texts.calibrated}</Key>
        )}
        <Key className="w-4 border-t border-dashed border-ink-faint">{texts.perfect}</Key>
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
        {texts.stated}, %
      </text>
      <text x={x(0) + 6} y={y(1) + 12}>
        {texts.won}, %
      </text>
    </>
  );
}

function Dots({
  reliability,
  className,
}: {
  reliability: DiagramProps["said"];
  className: string;
}) {
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
