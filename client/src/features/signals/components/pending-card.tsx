import type { Timeframe } from "@shared/contract/candle.ts";
import { Check, LoaderCircle } from "lucide-react";
import { formatElapsed } from "../../../lib/format.ts";
import { Alert } from "../../../ui/alert.tsx";
import { Card, Skeleton } from "../../../ui/card.tsx";
import { botMessages } from "../bot-messages.ts";
import { useNow } from "../hooks/use-now.ts";

/** How far a request has come. */
export type Stage = "sending" | "queued" | "running";

const steps = ["queued", "running", "finished"] as const;
const stepOf = { sending: 0, queued: 0, running: 1 } as const;

interface PendingCardProps {
  symbol: string;
  timeframe: Timeframe;
  stage: Stage;
  /** Unix milliseconds. */
  requestedAt: number;
}

/** Where a signal will appear: how far the work has come, and for how long it has been going on. */
export function PendingCard({ symbol, timeframe, stage, requestedAt }: PendingCardProps) {
  const now = useNow(true);
  return (
    <Card className="animate-enter p-5 sm:p-7" aria-busy="true">
      <div className="flex flex-wrap items-baseline justify-between gap-x-6 gap-y-1">
        <h2 className="text-xl font-semibold tracking-tight">
          {symbol} <span className="font-normal text-ink-muted">{timeframe}</span>
        </h2>
        <p className="text-sm text-ink-muted">
          {botMessages.elapsed}{" "}
          <span className="figures ml-1 font-medium text-ink">
            {formatElapsed(now - requestedAt)}
          </span>
        </p>
      </div>
      <ol className="mt-6 flex flex-col gap-3">
        {steps.map((step, index) => (
          <Step key={step} state={stateOf(index, stepOf[stage])}>
            {step === "queued" && stage === "sending"
              ? botMessages.stages.sending
              : botMessages.stages[step]}
          </Step>
        ))}
      </ol>
      <div className="mt-7 grid gap-3 sm:grid-cols-3">
        <Skeleton className="h-24 rounded-control" />
        <Skeleton className="h-24 rounded-control" />
        <Skeleton className="h-24 rounded-control" />
      </div>
      <Skeleton className="mt-3 h-64 rounded-control" />
    </Card>
  );
}

type StepState = "done" | "current" | "ahead";

function stateOf(index: number, current: number): StepState {
  if (index < current) return "done";
  return index === current ? "current" : "ahead";
}

function Step({ state, children }: { state: StepState; children: string }) {
  return (
    <li
      aria-current={state === "current" ? "step" : undefined}
      className={`flex items-center gap-3 ${state === "current" ? "font-medium" : "text-ink-muted"}`}
    >
      <span className="flex size-5 items-center justify-center">
        {state === "done" && <Check aria-hidden className="size-5 text-buy" />}
        {state === "current" && (
          <LoaderCircle aria-hidden className="size-5 animate-spin text-accent" />
        )}
        {state === "ahead" && <span className="size-2 rounded-full bg-line-strong" />}
      </span>
      {children}
    </li>
  );
}

/** Says that an answer takes longer than it should, though the work goes on. */
export function TimeoutAlert() {
  return (
    <Alert tone="warning" role="alert" title={botMessages.lateTitle}>
      {botMessages.late}
    </Alert>
  );
}
