import { useQuery } from "@tanstack/react-query";
import { useParams } from "react-router-dom";
import { ApiError } from "../../lib/api/errors.ts";
import { Alert } from "../../ui/alert.tsx";
import { Button, TextLink } from "../../ui/button.tsx";
import { NarrowPage } from "../../ui/narrow-page.tsx";
import { usePageTitle } from "../../ui/page-heading.tsx";
import { SignalContent, SignalSkeleton } from "./components/signal-content.tsx";
import { sharedMessages, signalMessages as texts } from "./messages.ts";
import { readShared } from "./signal-page-api.ts";

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
        {sharedMessages.lead} <TextLink to="/">{sharedMessages.toHome}</TextLink>
      </p>
      {data && <SignalContent {...data} createdAt={data.created_at} />}
      {!data && !error && <SignalSkeleton />}
      {!data && error && (
        <Alert tone="error" role="alert">
          <div className="flex flex-wrap items-center justify-between gap-3">
            <span className="text-ink">{texts.unreachable}</span>
            <Button variant="secondary" onClick={() => void refetch()}>
              {texts.tryAgain}
            </Button>
          </div>
        </Alert>
      )}
      <p className="text-sm text-ink-faint">{sharedMessages.disclaimer}</p>
    </div>
  );
}

function Gone() {
  return (
    <NarrowPage title={sharedMessages.gone} lead={sharedMessages.goneLead}>
      <meta name="robots" content="noindex, nofollow" />
      <TextLink to="/">{sharedMessages.toHome}</TextLink>
    </NarrowPage>
  );
}
