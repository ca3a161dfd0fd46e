import {
  type SharedView,
  sharedViewSchema,
  type WithheldSignal,
} from "@shared/contract/resolution.ts";
import { useQuery } from "@tanstack/react-query";
import { Lock } from "lucide-react";
import { Link, useParams } from "react-router-dom";
import { api } from "../../lib/api/client.ts";
import { ApiError } from "../../lib/api/errors.ts";
import { useSession } from "../../lib/session.ts";
import { buttonClass, TextLink } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { lazyComponent } from "../../ui/lazy-component.tsx";
import { LoadError } from "../../ui/load-states.tsx";
import { LocalTime } from "../../ui/local-time.tsx";
import { NarrowPage } from "../../ui/narrow-page.tsx";
import { usePageTitle } from "../../ui/page-heading.tsx";
import { SignalContent, SignalSkeleton } from "./components/signal-content.tsx";
import { whenShown } from "./when-shown.ts";

/** Visitors receive no events. */
const POLL_INTERVAL_MS = 60_000;

/** Until then, the page will have something new. */
const isOpen = (shared: SharedView): boolean =>
  "shared_from" in shared || (shared.judgement === null && shared.analysis.final_signal !== "WAIT");

export function SharedPage() {
  const { token = "" } = useParams();
  const { data, error, refetch } = useQuery({
    queryKey: ["shared-signal", token],
    queryFn: ({ signal }) =>
      api({ path: "/shared/:token", params: { token }, schema: sharedViewSchema, signal }),
    refetchInterval: ({ state }) => (state.data && isOpen(state.data) ? POLL_INTERVAL_MS : false),
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
      {data && "shared_from" in data && <WithheldPage signal={data} />}
      {data && !("shared_from" in data) && (
        <>
          <SignalContent signal={data} />
          <Invitation />
        </>
      )}
      {!data && !error && <SignalSkeleton />}
      {!data && error && (
        <>
          <LoadError title="We couldn't load this signal." onRetry={refetch} />
          <Invitation />
        </>
      )}
    </div>
  );
}

const LatestResult = lazyComponent(() => import("./components/latest-result.tsx"), "LatestResult", {
  isSilent: true,
});

/** What visitors see instead of an open trade: its market, and what has become of another one. */
const WithheldPage = ({ signal }: { signal: WithheldSignal }) => (
  <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-5 lg:grid-cols-[minmax(0,1.6fr)_minmax(0,1fr)]">
    <div className="flex flex-col gap-5">
      <Withheld signal={signal} />
      <Invitation />
    </div>
    {/* Last, as it appears late and must move nothing. */}
    <LatestResult className="rounded-card border border-line bg-surface p-5 sm:p-6" />
  </div>
);

/** An open trade of which only the market is shown yet. */
function Withheld({ signal }: { signal: WithheldSignal }) {
  const { symbol, timeframe, created_at, shared_from } = signal;
  return (
    <Card className="flex flex-col gap-4 border-t-2 border-t-wait p-5 sm:p-6">
      <header>
        <h1 className="text-xl font-semibold tracking-tight sm:text-2xl">
          {symbol} <span className="font-normal text-ink-muted">{timeframe}</span>
        </h1>
        <p className="figures text-sm text-ink-faint">
          <LocalTime iso={created_at} focusable />
        </p>
      </header>
      <div className="flex gap-3">
        <Lock aria-hidden className="mt-0.5 size-5 shrink-0 text-wait" />
        <p role="status" className="max-w-prose leading-relaxed text-ink-muted text-pretty">
          <strong className="font-semibold text-ink">This trade is open.</strong> Direction, levels
          and reasons are shown here {whenShown(shared_from)}. This page updates by itself.
        </p>
      </div>
    </Card>
  );
}

/** What a visitor can do who wants signals too. */
function Invitation() {
  const isSignedIn = useSession(({ token }) => token !== null);
  if (isSignedIn) return null;
  return (
    <Card className="flex flex-wrap items-center justify-between gap-4 p-5 print:hidden">
      <div className="min-w-0">
        <h2 className="font-semibold tracking-tight">Get signals like this one</h2>
        <p className="mt-1 text-sm text-ink-muted text-pretty">
          Live, with your own position size, for every market. Each outcome is on the public record.
        </p>
      </div>
      <div className="flex flex-wrap gap-3">
        <Link to="/register" className={buttonClass({ variant: "primary" })}>
          Create an account
        </Link>
        <Link to="/pricing" className={buttonClass({ variant: "secondary" })}>
          Plans and pricing
        </Link>
      </div>
    </Card>
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
      <TextLink to="/register">Create an account</TextLink>
    </NarrowPage>
  );
}
