import { ArrowLeft } from "lucide-react";
import type { ReactNode } from "react";
import { Link, useParams } from "react-router-dom";
import { ApiError } from "../../lib/api/api-error.ts";
import { isFinished } from "../../lib/live/live-state.ts";
import { Button } from "../../ui/button.tsx";
import { Notice } from "../../ui/notice.tsx";
import { usePageTitle } from "../../ui/use-page-title.ts";
import { ShareBox } from "./share-box.tsx";
import { SignalContent } from "./signal-content.tsx";
import { SignalSkeleton } from "./signal-skeleton.tsx";
import { signalTexts as texts } from "./texts.ts";
import { useSignalPage } from "./use-signal-page.ts";

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
        {texts.back}
      </Link>
      <Signal key={id} id={id} />
    </div>
  );
}

function Signal({ id }: { id: string }) {
  const { signal, candles, since } = useSignalPage(id);
  usePageTitle(texts.title(signal.data ? `${signal.data.symbol} ${signal.data.timeframe}` : ""));
  const error = signal.error ?? since.error ?? candles.error;
  if (isUnknown(error)) return <Problem>{texts.unknown}</Problem>;
  if (error && !(signal.data && since.data && candles.data)) {
    const again = () => void Promise.all([signal.refetch(), candles.refetch(), since.refetch()]);
    return <Problem onAgain={again}>{texts.unreachable}</Problem>;
  }
  if (!signal.data) return <SignalSkeleton />;
  const { symbol, timeframe, created_at, status, analysis } = signal.data;
  if (!isFinished(status)) return <Running>{texts.running}</Running>;
  if (status === "failed") return <Problem>{texts.failed}</Problem>;
  if (!analysis || !since.data || !candles.data) return <SignalSkeleton />;
  return (
    <SignalContent
      symbol={symbol}
      timeframe={timeframe}
      createdAt={created_at}
      analysis={analysis}
      before={candles.data.candles}
      since={since.data.candles}
      judgement={since.data.judgement}
    >
      <ShareBox id={id} sharedAt={since.data.shared_at} />
    </SignalContent>
  );
}

const isUnknown = (error: Error | null) => error instanceof ApiError && error.status === 404;

function Running({ children }: { children: ReactNode }) {
  return (
    <>
      <Notice tone="info" role="status">
        {children}
      </Notice>
      <SignalSkeleton />
    </>
  );
}

function Problem({ children, onAgain }: { children: ReactNode; onAgain?: () => void }) {
  return (
    <Notice tone={onAgain ? "error" : "info"} role="alert">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <span className="text-ink">{children}</span>
        {onAgain && (
          <Button variant="secondary" onClick={onAgain}>
            {texts.tryAgain}
          </Button>
        )}
      </div>
    </Notice>
  );
}
