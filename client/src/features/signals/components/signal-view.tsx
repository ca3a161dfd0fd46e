import { useQuery } from "@tanstack/react-query";
import { TextLink } from "../../../ui/button.tsx";
import { OutcomeBadge } from "../../../ui/outcome-badge.tsx";
import { progressQuery } from "../api.ts";
import { isLate, type TrackedSignal } from "../bot-store.ts";
import { useNow } from "../hooks/use-now.ts";
import { useSignal } from "../hooks/use-signal.ts";
import { tradeLevels } from "../levels.ts";
import { PendingCard, TimeoutAlert } from "./pending-card.tsx";
import { ResultCard } from "./result-card.tsx";

export function SignalView({ tracked }: { tracked: TrackedSignal }) {
  const { data: signal } = useSignal(tracked.id);
  if (!signal?.analysis) {
    return <PendingSignal tracked={tracked} isRunning={signal?.status === "running"} />;
  }
  const { signal_id: id, status, analysis } = signal;
  const follow = status === "completed" && (
    <ResultFollow id={id} isTrade={tradeLevels(analysis) !== null} />
  );
  return <ResultCard signal={signal} analysis={analysis} chart={follow} />;
}

function PendingSignal({ tracked, isRunning }: { tracked: TrackedSignal; isRunning: boolean }) {
  return (
    <>
      {isLate(tracked, useNow(true)) && <TimeoutAlert />}
      <PendingCard {...tracked} stage={isRunning ? "running" : "queued"} />
    </>
  );
}

function ResultFollow({ id, isTrade }: { id: string; isTrade: boolean }) {
  const { data } = useQuery({ ...progressQuery(id), enabled: isTrade });
  return (
    <div className="flex items-center justify-between gap-4 border-t border-line pt-5">
      {isTrade ? <OutcomeBadge outcome={data?.judgement?.outcome} /> : <span />}
      <TextLink to={`/signals/${id}`}>Open</TextLink>
    </div>
  );
}
