import { actionDoneSchema } from "@shared/contract/admin.ts";
import {
  type SharedFrom,
  type SharedSignal,
  type SignalProgressResponse,
  shareLinkSchema,
} from "@shared/contract/resolution.ts";
import type { Analysis, SignalResponse } from "@shared/contract/signal.ts";
import { useMutation, useQuery } from "@tanstack/react-query";
import { ArrowLeft, Send } from "lucide-react";
import { useId, useState } from "react";
import { Link, useParams } from "react-router-dom";
import { api } from "../../lib/api/client.ts";
import { ApiError } from "../../lib/api/errors.ts";
import { formatDateTime } from "../../lib/format.ts";
import { refetch } from "../../lib/query-client.ts";
import { useSession } from "../../lib/session.ts";
import { Alert, ErrorAlert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { fieldClass } from "../../ui/field-class.ts";
import { LoadError } from "../../ui/load-states.tsx";
import { usePageTitle } from "../../ui/page-heading.tsx";
import { showToast } from "../../ui/show-toast.ts";
import { runUndoable } from "../../ui/undo.ts";
import { candlesQuery, progressQuery, useSignal } from "./api.ts";
import { isFinished, signalKeys } from "./apply-event.ts";
import { EvidenceCard } from "./components/evidence.tsx";
import { SignalContent, SignalSkeleton } from "./components/signal-content.tsx";
import { TradeTimeline, TradeTitle, tradeOfSignal } from "./components/trade-timeline.tsx";
import { whenShown } from "./when-shown.ts";

export function SignalPage() {
  const { id = "" } = useParams();
  return (
    <div className="page flex flex-col gap-5 py-6">
      <Link
        to="/signal-history"
        className="inline-flex items-center gap-1.5 self-start rounded text-sm font-medium text-accent hover:text-accent-strong pointer-coarse:-my-2.5 pointer-coarse:py-2.5 print:hidden"
      >
        <ArrowLeft aria-hidden className="size-4" />
        All signals
      </Link>
      <Signal key={id} id={id} />
    </div>
  );
}

function Signal({ id }: { id: string }) {
  const { signal, candles, progress } = useSignalPage(id);
  usePageTitle(`Signal ${signal.data ? `${signal.data.symbol} ${signal.data.timeframe}` : ""}`);
  const error = signal.error ?? progress.error ?? candles.error;
  if (error instanceof ApiError && error.status === 404) {
    return <Problem text="This signal does not exist or was deleted." />;
  }
  if (error && !(signal.data && progress.data && candles.data)) {
    const retry = () => void Promise.all([signal.refetch(), candles.refetch(), progress.refetch()]);
    return <LoadError title="We couldn't load this signal." onRetry={retry} />;
  }
  if (!signal.data) return <SignalSkeleton />;
  const { status, analysis } = signal.data;
  if (status === "failed") return <Problem text="The analysis failed." />;
  if (!isFinished(status)) return <Running />;
  if (!analysis || !progress.data || !candles.data) return <SignalSkeleton />;
  const { candles: before } = candles.data;
  return (
    <FinishedSignal
      signal={signal.data}
      shown={{ ...progress.data, analysis, before, since: progress.data.candles }}
    />
  );
}

interface FinishedSignalProps {
  signal: SignalResponse;
  shown: Omit<SharedSignal, "created_at" | "analysis"> &
    Pick<SignalProgressResponse, "shared_at" | "shared_from"> & { analysis: Analysis };
}

function FinishedSignal({ signal, shown }: FinishedSignalProps) {
  const { signal_id, created_at, origin, filled, entry_left: entryLeft } = signal;
  const { judgement, shared_at, shared_from: sharedFrom } = shown;
  const outcome = judgement?.outcome ?? signal.outcome;
  const trade = tradeOfSignal({ ...signal, outcome }, judgement);
  return (
    <SignalContent
      signal={{ ...shown, created_at, filled }}
      origin={origin}
      entryLeft={entryLeft}
      progress={trade && <TradeTimeline trade={trade} madeAt={created_at} />}
    >
      {trade && <TradeTitle trade={trade} />}
      <EvidenceCard id={signal_id} />
      <ShareBox id={signal_id} sharedAt={shared_at} sharedFrom={sharedFrom} />
    </SignalContent>
  );
}

/** Events push the outcome; the candles of an open signal are polled. */
const CANDLES_POLL_INTERVAL_MS = 60_000;

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

function Running() {
  return (
    <>
      <Alert tone="info" role="status">
        Still analyzing. The result will appear here.
      </Alert>
      <SignalSkeleton />
    </>
  );
}

function Problem({ text }: { text: string }) {
  return (
    <Alert tone="info" role="alert">
      <span className="text-ink">{text}</span>
    </Alert>
  );
}

interface ShareBoxProps {
  id: string;
  sharedAt: string | null;
  sharedFrom: SharedFrom | undefined;
}

function ShareBox({ id, sharedAt, sharedFrom = "now" }: ShareBoxProps) {
  const readAgain = () => refetch({ queryKey: signalKeys.progress(id) });
  const route = { path: "/signals/:id/share", params: { id } } as const;
  const link = useMutation({
    mutationFn: () => api({ method: "POST", ...route, schema: shareLinkSchema }),
    onSuccess: readAgain,
  });
  const [isStopping, setStopping] = useState(false);
  const revoke = async (headers: Record<string, string>) => {
    await api({ method: "DELETE", ...route, headers, keepalive: true, schema: actionDoneSchema });
    link.reset();
    await readAgain();
    setStopping(false);
  };
  const stopSharing = () => {
    setStopping(true);
    // Still sent with it after the user has logged out.
    const headers = { Authorization: `Bearer ${useSession.getState().token}` };
    runUndoable({
      title: "Sharing stopped",
      send: () => revoke(headers),
      onUndo: () => setStopping(false),
      onFailure() {
        setStopping(false);
        showToast({ title: failed });
      },
    });
  };
  const failed = "The link could not be updated. Please try again.";
  const isShared = !isStopping && (sharedAt !== null || link.data !== undefined);
  return (
    <Card className="flex flex-col gap-4 p-5 print:hidden">
      <h2 className="text-lg font-semibold tracking-tight">Share</h2>
      <p className="max-w-prose leading-relaxed text-ink-muted text-pretty">
        Anyone with the link can view this signal until the link expires (after 90 days by default)
        or you stop sharing. Your name, amounts and images are not shared.
        {sharedFrom !== "now" &&
          ` While the trade is open, visitors see its market only: direction, levels and reasons ${whenShown(sharedFrom)}.`}
      </p>
      {isShared && link.data && <LinkField link={`${location.origin}/shared/${link.data.token}`} />}
      {isShared && !link.data && sharedAt && (
        <p className="text-sm text-ink-faint">
          Shared since {formatDateTime(sharedAt)}. The link is shown only when you create it. A new
          link replaces it.
        </p>
      )}
      <div className="flex flex-wrap gap-3">
        <Button
          variant="secondary"
          busy={link.isPending}
          disabled={isStopping}
          onClick={() => link.mutate()}
        >
          {isShared ? "Create new link" : "Create link"}
        </Button>
        {isShared && (
          <Button variant="danger" onClick={stopSharing}>
            Stop sharing
          </Button>
        )}
      </div>
      <ErrorAlert message={link.isError && failed} />
    </Card>
  );
}

/** Hands the link to another app, where the device has a way to: on phones. */
function SendButton({ link }: { link: string }) {
  if (typeof navigator.share !== "function") return null;
  // Rejected if the user chooses no app.
  const send = () => void navigator.share({ url: link }).catch(() => null);
  return (
    <Button Icon={Send} size="sm" onClick={send}>
      Send
    </Button>
  );
}

function LinkField({ link }: { link: string }) {
  const id = useId();
  const label = "Link to this signal";
  return (
    <div className={fieldClass.root}>
      <label htmlFor={id} className={fieldClass.label}>
        {label}
      </label>
      <div className="flex flex-wrap items-center gap-3">
        <input
          id={id}
          readOnly
          value={link}
          onFocus={({ currentTarget }) => currentTarget.select()}
          className={`${fieldClass.input} min-w-40 flex-1`}
        />
        <CopyButton text={link} name={label} />
        <SendButton link={link} />
      </div>
    </div>
  );
}
