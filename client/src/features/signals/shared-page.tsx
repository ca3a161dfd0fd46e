import { sharedSignalSchema } from "@shared/contract/resolution.ts";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "react-router-dom";
import { api } from "../../lib/api/client.ts";
import { ApiError } from "../../lib/api/errors.ts";
import { TextLink } from "../../ui/button.tsx";
import { LoadError } from "../../ui/load-states.tsx";
import { NarrowPage } from "../../ui/narrow-page.tsx";
import { usePageTitle } from "../../ui/page-heading.tsx";
import { SignalContent, SignalSkeleton } from "./components/signal-content.tsx";

/** Visitors receive no events. */
const POLL_INTERVAL_MS = 60_000;

export function SharedPage() {
  const { token = "" } = useParams();
  const { data, error, refetch } = useQuery({
    queryKey: ["shared-signal", token],
    queryFn: ({ signal }) =>
      api({ path: "/shared/:token", params: { token }, schema: sharedSignalSchema, signal }),
    refetchInterval: ({ state }) => {
      const isOpen = state.data?.judgement === null && state.data.analysis.final_signal !== "WAIT";
      return isOpen ? POLL_INTERVAL_MS : false;
    },
  });
  usePageTitle(`Signal ${data ? `${data.symbol} ${data.timeframe}` : ""}`);
  if (error instanceof ApiError && error.status === 404) return <Gone />;
  return (
    <div className="page flex flex-col gap-5 py-6">
      {/* React puts it into the document's head for as long as this page is shown. */}
      <meta name="robots" content="noindex, nofollow" />
      <p className="text-sm text-ink-muted">
        Shared by a trader who uses this service. <TextLink to="/">About this service</TextLink>
      </p>
      {data && <SignalContent signal={data} />}
      {!data && !error && <SignalSkeleton />}
      {!data && error && <LoadError title="We couldn't load this signal." onRetry={refetch} />}
    </div>
  );
}

function Gone() {
  return (
    <NarrowPage
      title="This link no longer works."
      lead="Its owner stopped sharing the signal, or it was deleted."
    >
      <meta name="robots" content="noindex, nofollow" />
      <TextLink to="/">About this service</TextLink>
    </NarrowPage>
  );
}
