import { SignalBadge } from "../../ui/signal-badge.tsx";
import { homeTexts } from "./texts.ts";

/** Candles of the drawing, as [open, high, low, close] in its own units, upwards. */
const candles: readonly Candle[] = [
  [50, 57, 43, 55],
  [55, 60, 47, 49],
  [49, 52, 34, 37],
  [37, 44, 27, 41],
  [41, 49, 33, 35],
  [35, 40, 20, 25],
  [25, 39, 21, 37],
  [37, 52, 34, 49],
  [49, 63, 45, 60],
  [60, 68, 52, 55],
  [55, 70, 50, 66],
];

type Candle = readonly [open: number, high: number, low: number, close: number];

const HEIGHT = 270;
const WIDTH = 460;
/** Where the lines end and their names begin. */
const LINE_END = 380;
const STEP = 27;
const LEFT = 18;
const yOf = (value: number) => HEIGHT - (value - 15) * 2.6;

const lines = [
  { label: homeTexts.exampleTarget, value: 108, className: "stroke-buy fill-buy" },
  { label: homeTexts.exampleEntry, value: 66, className: "stroke-accent fill-accent" },
  { label: homeTexts.exampleStop, value: 46, className: "stroke-sell fill-sell" },
] as const;

/** A drawn chart with a signal's three levels: what the product gives, at a glance. */
export function HeroIllustration() {
  return (
    <figure
      aria-hidden
      className="rounded-card border border-line bg-surface p-5 shadow-float sm:p-6"
    >
      <figcaption className="mb-5 flex items-center justify-between gap-4">
        <span className="text-sm text-ink-faint">{homeTexts.example}</span>
        <SignalBadge signal="BUY" />
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} className="w-full" aria-hidden="true">
        {lines.map(({ label, value, className }) => (
          <g key={label} className={className}>
            <line x1={0} x2={LINE_END} y1={yOf(value)} y2={yOf(value)} strokeDasharray="4 5" />
            <text
              x={LINE_END + 10}
              y={yOf(value) + 4.5}
              stroke="none"
              className="text-[14px] font-medium"
            >
              {label}
            </text>
          </g>
        ))}
        {candles.map((candle, index) => (
          <CandleShape key={candle.join()} candle={candle} x={LEFT + index * STEP} />
        ))}
      </svg>
    </figure>
  );
}

function CandleShape({ candle: [open, high, low, close], x }: { candle: Candle; x: number }) {
  const rising = close >= open;
  const top = yOf(Math.max(open, close));
  const height = yOf(Math.min(open, close)) - top;
  return (
    <g className={rising ? "fill-buy stroke-buy" : "fill-sell stroke-sell"} opacity="0.85">
      <line x1={x} x2={x} y1={yOf(high)} y2={yOf(low)} strokeWidth="1.5" />
      <rect x={x - 7} y={top} width="14" height={height} rx="2.5" stroke="none" />
    </g>
  );
}
