import { useMutation, useQuery } from "@tanstack/react-query";
import { ArrowLeft } from "lucide-react";
import { type ReactNode, useId } from "react";
import { Link, useParams } from "react-router-dom";
import { ApiError } from "../../lib/api/errors.ts";
import { formatDateTime } from "../../lib/format.ts";
import { refetch } from "../../lib/query-client.ts";
import { Alert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { ConfirmButton } from "../../ui/confirm-button.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { fieldClass } from "../../ui/field-class.ts";
import { usePageTitle } from "../../ui/page-heading.tsx";
import { candlesQuery } from "./api.ts";
import { isFinished, signalKeys } from "./apply-event.ts";
import { SignalContent, SignalSkeleton } from "./components/signal-content.tsx";
import { useSignal } from "./hooks/use-signal.ts";
import { shareMessages, signalMessages } from "./messages.ts";
import { createShareLink, progressQuery, revokeShareLink } from "./signal-page-api.ts";

/** One of the user's signals, on its own: what it said, and what the market made of it. */
export function SignalPage() {
  const { id = "" } = useParams();
  return (
    <div className="page flex max-w-5xl flex-col gap-5 py-8 sm:py-10">
      <Link
        to="/signal-history"
        className="inline-flex items-center gap-1.5 self-start rounded text-sm font-medium text-accent hover:text-accent-strong"
      >
        <ArrowLeft aria-hidden className="size-4" />
        {signalMessages.back}
      </Link>
      <Signal key={id} id={id} />
    </div>
  );
}

function Signal({ id }: { id: string }) {
  const { signal, candles, progress } = useSignalPage(id);
  usePageTitle(
    signalMessages.title(signal.data ? `${signal.data.symbol} ${signal.data.timeframe}` : ""),
  );
  const error = signal.error ?? progress.error ?? candles.error;
  if (isUnknown(error)) return <Problem>{signalMessages.unknown}</Problem>;
  if (error && !(signal.data && progress.data && candles.data)) {
    const again = () => void Promise.all([signal.refetch(), candles.refetch(), progress.refetch()]);
    return <Problem onAgain={again}>{signalMessages.unreachable}</Problem>;
  }
  if (!signal.data) return <SignalSkeleton />;
  const { symbol, timeframe, created_at, status, analysis } = signal.data;
  if (!isFinished(status)) return <Running>{signalMessages.running}</Running>;
  if (status === "failed") return <Problem>{signalMessages.failed}</Problem>;
  if (!analysis || !progress.data || !candles.data) return <SignalSkeleton />;
  return (
    <SignalContent
      symbol={symbol}
      timeframe={timeframe}
      createdAt={created_at}
      analysis={analysis}
      before={candles.data.candles}
      since={progress.data.candles}
      judgement={progress.data.judgement}
    >
      <ShareBox id={id} sharedAt={progress.data.shared_at} />
    </SignalContent>
  );
}

const isUnknown = (error: Error | null) => error instanceof ApiError && error.status === 404;

function Running({ children }: { children: ReactNode }) {
  return (
    <>
      <Alert tone="info" role="status">
        {children}
      </Alert>
      <SignalSkeleton />
    </>
  );
}

function Problem({ children, onAgain }: { children: ReactNode; onAgain?: () => void }) {
  return (
    <Alert tone={onAgain ? "error" : "info"} role="alert">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <span className="text-ink">{children}</span>
        {onAgain && (
          <Button variant="secondary" onClick={onAgain}>
            {signalMessages.tryAgain}
          </Button>
        )}
      </div>
    </Alert>
  );
}

/** Events push the outcome; the candles of an open signal are polled. */
const CANDLES_POLL_INTERVAL_MS = 60_000;

/** One of the user's signals with its candles and its outcome. */
function useSignalPage(id: string) {
  const signal = useSignal(id);
  const isCompleted = signal.data?.status === "completed";
  const isTrade = isCompleted && signal.data?.analysis?.final_signal !== "WAIT";
  const candles = useQuery({ ...candlesQuery(id), enabled: isCompleted });
  const progress = useQuery({
    ...progressQuery(id),
    enabled: isCompleted,
    refetchInterval: ({ state }) =>
      isTrade && !state.data?.judgement ? CANDLES_POLL_INTERVAL_MS : false,
  });
  return { signal, candles, progress };
}

const refetchProgress = (id: string) => refetch({ queryKey: signalKeys.progress(id) });

/** Makes and voids the link that shows a signal to others. */
export function ShareBox({ id, sharedAt }: { id: string; sharedAt: string | null }) {
  const making = useMutation({
    mutationFn: () => createShareLink(id),
    onSuccess: () => refetchProgress(id),
  });
  const revoke = async (): Promise<string> => {
    const { detail } = await revokeShareLink(id);
    making.reset();
    await refetchProgress(id);
    return detail;
  };
  const isShared = sharedAt !== null || making.data !== undefined;
  return (
    <Card className="flex flex-col gap-4 p-5 sm:p-7">
      <h2 className="text-lg font-semibold tracking-tight">{shareMessages.title}</h2>
      <p className="max-w-prose leading-relaxed text-ink-muted text-pretty">{shareMessages.lead}</p>
      {making.data ? (
        <LinkField link={linkOf(making.data.token)} />
      ) : (
        sharedAt && (
          <p className="text-sm text-ink-faint">{shareMessages.since(formatDateTime(sharedAt))}</p>
        )
      )}
      <div className="flex flex-wrap gap-3">
        <Button variant="secondary" busy={making.isPending} onClick={() => making.mutate()}>
          {isShared ? shareMessages.renew : shareMessages.create}
        </Button>
        {isShared && (
          <ConfirmButton
            label={shareMessages.revoke}
            title={shareMessages.revokeTitle}
            size="md"
            run={revoke}
            failureText={() => shareMessages.failed}
          >
            {shareMessages.revokeLoss}
          </ConfirmButton>
        )}
      </div>
      {making.isError && (
        <Alert tone="error" role="alert">
          {shareMessages.failed}
        </Alert>
      )}
    </Card>
  );
}

const linkOf = (token: string): string => `${location.origin}/shared/${token}`;

function LinkField({ link }: { link: string }) {
  const id = useId();
  return (
    <div className={fieldClass.root}>
      <label htmlFor={id} className={fieldClass.label}>
        {shareMessages.linkName}
      </label>
      <div className="flex items-center gap-3">
        <input
          id={id}
          readOnly
          value={link}
          onFocus={({ currentTarget }) => currentTarget.select()}
          className={`${fieldClass.input} min-w-0 flex-1`}
        />
        <CopyButton text={link} name={shareMessages.linkName} />
      </div>
    </div>
  );
}
