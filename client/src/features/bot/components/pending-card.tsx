import { MESSAGES } from "@shared/contract/constants.ts";
import { Check, LoaderCircle } from "lucide-react";
import { formatElapsed } from "../../../lib/format.ts";
import { useNow } from "../../../lib/use-now.ts";
import { Alert } from "../../../ui/alert.tsx";
import { Card, Skeleton } from "../../../ui/card.tsx";
import type { TrackedSignal } from "../bot-store.ts";

interface PendingCardProps extends Pick<TrackedSignal, "symbol" | "timeframe" | "requestedAt"> {
  stage: "sending" | "queued" | "running";
}

export function PendingCard({ symbol, timeframe, stage, requestedAt }: PendingCardProps) {
  const now = useNow(true);
  const current = stage === "running" ? 1 : 0;
  const steps = [
    stage === "sending" ? "Sending the request" : "Waiting in the queue",
    "Analyzing candles",
    "Signal ready",
  ];
  return (
    // Above the chart, it fills the screen as the signal will, which then pushes nothing out of it.
    <Card className="min-h-dvh animate-enter p-5 xl:min-h-0" aria-busy="true">
      <div className="flex flex-wrap items-baseline justify-between gap-x-6 gap-y-1">
        <h2 className="text-xl font-semibold tracking-tight">
          {symbol} <span className="font-normal text-ink-muted">{timeframe}</span>
        </h2>
        <p className="text-sm text-ink-muted">
          Elapsed{" "}
          <span className="figures ml-1 font-medium text-ink">
            {formatElapsed(now - requestedAt)}
          </span>
        </p>
      </div>
      <ol className="mt-6 flex flex-col gap-3">
        {steps.map((step, index) => (
          <Step key={step} isDone={index < current} isCurrent={index === current}>
            {step}
          </Step>
        ))}
      </ol>
      <Skeleton className="mt-6 h-36 rounded-control" />
      <Skeleton className="mt-3 h-24 rounded-control" />
    </Card>
  );
}

interface StepProps {
  isDone: boolean;
  isCurrent: boolean;
  children: string;
}

function Step({ isDone, isCurrent, children }: StepProps) {
  return (
    <li
      aria-current={isCurrent ? "step" : undefined}
      className={`flex items-center gap-3 ${isCurrent ? "font-medium" : "text-ink-muted"}`}
    >
      <span className="flex size-5 items-center justify-center">
        {isDone && <Check aria-hidden className="size-5 text-buy" />}
        {isCurrent && <LoaderCircle aria-hidden className="size-5 animate-spin text-accent" />}
        {!isDone && !isCurrent && <span className="size-2 rounded-full bg-line-strong" />}
      </span>
      {children}
    </li>
  );
}

export function TimeoutAlert() {
  return (
    <Alert tone="warning" role="alert" title={MESSAGES.requestTimeout}>
      If the signal is made after all, it appears here and in your history.
    </Alert>
  );
}
