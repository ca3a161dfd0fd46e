import { useQuery } from "@tanstack/react-query";
import { useParams } from "react-router-dom";
import { ApiError } from "../../lib/api/api-error.ts";
import { Button } from "../../ui/button.tsx";
import { NarrowPage } from "../../ui/narrow-page.tsx";
import { Notice } from "../../ui/notice.tsx";
import { TextLink } from "../../ui/text-link.tsx";
import { usePageTitle } from "../../ui/use-page-title.ts";
import { readShared } from "./signal-api.ts";
import { SignalContent } from "./signal-content.tsx";
import { SignalSkeleton } from "./signal-skeleton.tsx";
import { sharedTexts, signalTexts as texts } from "./texts.ts";

/** An open signal is read anew this often: visitors hear of no events. */
const OPEN_EVERY_MS = 60_000;

/** A signal that its owner shows to whoever has the link. */
export function SharedPage() {
  const { token = "" } = useParams();
  const { data, error, refetch } = useQuery({
    queryKey: ["shared-signal", token],
    queryFn: ({ signal }) => readShared(token, signal),
    refetchInterval: ({ state }) => {
      const isOpen = state.data?.judgement === null && state.data.analysis.final_signal !== "WAIT";
      return isOpen ? OPEN_EVERY_MS : false;
    },
  });
  usePageTitle(texts.title(data ? `${data.symbol} ${data.timeframe}` : ""));
  if (error instanceof ApiError && error.status === 404) return <Gone />;
  return (
    <div className="page flex max-w-5xl flex-col gap-5 py-8 sm:py-10">
      {/* React puts it into the document's head for as long as this page is shown. */}
      <meta name="robots" content="noindex, nofollow" />
      <p className="text-sm text-ink-muted">
        {sharedTexts.lead} <TextLink to="/">{sharedTexts.toHome}</TextLink>
      </p>
      {data && <SignalContent {...data} createdAt={data.created_at} />}
      {!data && !error && <SignalSkeleton />}
      {!data && error && (
        <Notice tone="error" role="alert">
          <div className="flex flex-wrap items-center justify-between gap-3">
            <span className="text-ink">{texts.unreachable}</span>
            <Button variant="secondary" onClick={() => void refetch()}>
              {texts.tryAgain}
            </Button>
          </div>
        </Notice>
      )}
      <p className="text-sm text-ink-faint">{sharedTexts.disclaimer}</p>
    </div>
  );
}

function Gone() {
  return (
    <NarrowPage title={sharedTexts.gone} lead={sharedTexts.goneLead}>
      <meta name="robots" content="noindex, nofollow" />
      <TextLink to="/">{sharedTexts.toHome}</TextLink>
    </NarrowPage>
  );
}
