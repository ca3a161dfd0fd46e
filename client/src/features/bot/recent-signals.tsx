import type { SignalResponse } from "@shared/contract/signal.ts";
import { SignalBadge } from "../../ui/signal-badge.tsx";
import { select, type TrackedSignal } from "./bot-store.ts";
import { useSignal } from "./signal-query.ts";
import { botTexts } from "./texts.ts";

interface RecentSignalsProps {
  tracked: TrackedSignal[];
  selectedId: string | undefined;
}

/** This tab's latest signals, to go back and forth between; shown once there are several. */
export function RecentSignals({ tracked, selectedId }: RecentSignalsProps) {
  if (tracked.length < 2) return null;
  return (
    <nav aria-label={botTexts.recent} className="-mx-1 flex gap-2 overflow-x-auto p-1">
      {tracked.map((signal) => (
        <RecentButton key={signal.id} tracked={signal} selected={signal.id === selectedId} />
      ))}
    </nav>
  );
}

function RecentButton({ tracked, selected }: { tracked: TrackedSignal; selected: boolean }) {
  const signal = useSignal(tracked.id);
  return (
    <button
      type="button"
      aria-pressed={selected}
      onClick={() => select(tracked.id)}
      className="flex shrink-0 items-center gap-3 rounded-control border border-line bg-surface py-2 pr-2 pl-3.5 text-sm transition-colors hover:border-line-strong aria-pressed:border-accent"
    >
      <span className="font-medium">{tracked.symbol}</span>
      <span className="text-ink-faint">{tracked.timeframe}</span>
      <Outcome signal={signal} />
    </button>
  );
}

function Outcome({ signal }: { signal: SignalResponse | undefined }) {
  if (signal?.analysis) return <SignalBadge signal={signal.analysis.final_signal} />;
  return <span className="px-2 py-1 text-ink-muted">{botTexts.recentPending}</span>;
}
