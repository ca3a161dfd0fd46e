import { shareOf } from "./chart-scale.ts";

interface RangeBarProps {
  value: number;
  low: number;
  high: number;
  /** What the figure is compared with: its chance baseline, 0 or break-even. */
  mark: number;
  /** Ends of the scale. */
  from: number;
  to: number;
}

const percent = (share: number) => `${Math.min(1, Math.max(0, share)) * 100}%`;

/** A figure on a line: its interval as a band, itself as a dot, what it is compared with as a stroke. */
export function RangeBar({ value, low, high, mark, from, to }: RangeBarProps) {
  const at = (position: number) => shareOf(position, { low: from, high: to });
  const [start, end] = [Math.max(0, at(low)), Math.min(1, at(high))];
  return (
    <div aria-hidden className="relative h-5">
      <div className="absolute inset-x-0 top-2 h-1 rounded-full bg-raised" />
      <div
        className="absolute top-1.5 h-2 rounded-full bg-accent/45"
        style={{ left: percent(start), width: percent(end - start) }}
      />
      <div
        className="absolute top-0 h-5 w-0.5 -translate-x-1/2 rounded bg-wait"
        style={{ left: percent(at(mark)) }}
      />
      <div
        className="absolute top-1 size-3 -translate-x-1/2 rounded-full border-2 border-surface bg-accent"
        style={{ left: percent(at(value)) }}
      />
    </div>
  );
}
