import { confidenceWords } from "@shared/contract/confidence-words.ts";
import { SIGNAL_LIMITS } from "@shared/contract/constants.ts";
import type { SignalResponse } from "@shared/contract/signal.ts";
import { Bell, BellOff, BellRing } from "lucide-react";
import { type RefObject, useDeferredValue, useEffect, useRef } from "react";
import { useNavigate, useSearchParams } from "react-router-dom";
import { CleanupImagesButton } from "../../domain/cleanup-images-button.tsx";
import {
  requestPermission,
  useNotificationSettings,
} from "../../lib/notifications/notification-settings.ts";
import { queryClient } from "../../lib/query-client.ts";
import { useRealtime } from "../../lib/realtime/store.ts";
import { useSession } from "../../lib/session.ts";
import { useNow } from "../../lib/use-now.ts";
import { Alert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { Card, Skeleton } from "../../ui/card.tsx";
import { lazyComponent, WhenInView } from "../../ui/lazy-component.tsx";
import { useDemoStatus } from "../signals/api.ts";
import { isFinished, signalKeys } from "../signals/apply-event.ts";
import { BotFrame } from "./bot-frame.tsx";
import { isLate, select, setInputs, track, useBot } from "./bot-store.ts";
import { BotForm } from "./components/bot-form.tsx";
import { RecentSignals, ResultArea, useTrackedSignal } from "./components/result-area.tsx";
import { resumePending } from "./submit-request.ts";

/** Where the chart stands beside the answer, it ends with the window. */
const chartClass = "h-[36rem] xl:h-[max(30rem,calc(100dvh-18.5rem))]";

const chartSkeleton = <Skeleton className={`rounded-card ${chartClass}`} />;

const MarketPanel = lazyComponent(() => import("./components/market-panel.tsx"), "MarketPanel", {
  fallback: chartSkeleton,
});

const NewestTradeTitle = lazyComponent(
  () => import("./components/newest-trade-title.tsx"),
  "NewestTradeTitle",
  { isSilent: true },
);

export function BotPage() {
  const newest = useBot(({ tracked }) => tracked[0]);
  const signal = useTrackedSignal(newest?.id ?? null);
  const analyzing = useAnalyzing(signal);
  // The banner above and the image field must be known first, so that nothing moves for them.
  const { isPending } = useDemoStatus();
  const isAccountKnown = useRealtime((live) => live.ready);
  // Deferred, the form is rendered in small steps, and the page stays responsive.
  const isReady = useDeferredValue(!isPending && isAccountKnown);
  useEffect(() => void resumePending(), []);
  return (
    <>
      <BotFrame aside={<NotificationsButton />}>
        {isReady ? <Workspace analyzing={analyzing} /> : undefined}
      </BotFrame>
      {newest && <NewestTradeTitle />}
      {/* Announces the progress of the newest request to screen readers. */}
      <p role="status" className="sr-only">
        {analyzing ? "Analyzing the market." : announcement(signal)}
      </p>
    </>
  );
}

function NotificationsButton() {
  const { permission, off } = useNotificationSettings();
  if (permission === "default") {
    return (
      <Button Icon={Bell} variant="secondary" onClick={() => void requestPermission()}>
        <span className="max-sm:sr-only">Enable notifications</span>
      </Button>
    );
  }
  if (permission !== "granted") return null;
  return (
    <Button
      Icon={off ? BellOff : BellRing}
      variant="ghost"
      aria-pressed={!off}
      onClick={() => useNotificationSettings.setState({ off: !off })}
    >
      <span className="max-sm:sr-only">{off ? "Notifications off" : "Notifications on"}</span>
    </Button>
  );
}

function announcement(signal: SignalResponse | undefined): string {
  if (!signal?.analysis) return "";
  const { final_signal } = signal.analysis;
  const what = `${final_signal} ${signal.symbol} ${signal.timeframe}`;
  const facts = [what, confidenceWords(final_signal, signal.analysis) ?? []].flat();
  return `Signal ready: ${facts.join(", ")}.`;
}

function useAnalyzing(signal: SignalResponse | undefined): boolean {
  const newest = useBot(({ tracked }) => tracked[0]);
  const isSending = useBot(
    ({ pending, failure }) => pending !== null && !pending.givenUp && !failure,
  );
  const isOpen = newest !== undefined && (!signal || !isFinished(signal.status));
  const now = useNow(isOpen);
  return isSending || (isOpen && !isLate(newest, now));
}

function Workspace({ analyzing }: { analyzing: boolean }) {
  const isAdmin = useSession((session) => session.isAdmin);
  const results = useRef<HTMLElement>(null);
  useSignalFromUrl(results);
  // The next frame has the height to scroll to. Beside the form, the answer is in view unless the page was scrolled.
  const showResults = () => {
    requestAnimationFrame(() => {
      const { top = 0 } = results.current?.getBoundingClientRect() ?? {};
      const isInView = top >= 0 && top < window.innerHeight / 2;
      if (!isInView) results.current?.scrollIntoView();
    });
  };
  return (
    <>
      <DemoBanner />
      <div className="bot-grid">
        <aside className="bot-beside flex min-w-0 flex-col gap-5">
          <BotForm analyzing={analyzing} onSubmitted={showResults} />
          <RecentSignals />
          {isAdmin && <AdminTools />}
        </aside>
        <section
          ref={results}
          tabIndex={-1}
          aria-label="Signal"
          className="min-w-0 scroll-mt-20 outline-none [overflow-anchor:none]"
        >
          <ResultArea />
        </section>
        <div className="bot-beside min-w-0 lg:max-xl:col-span-2">
          {/* Small screens begin with the form and the answer. */}
          <WhenInView placeholder={chartSkeleton} rootMargin="25% 0px">
            <MarketPanel className={chartClass} />
          </WhenInView>
        </div>
      </div>
    </>
  );
}

function AdminTools() {
  return (
    <Card className="flex flex-col items-start gap-3 p-5 sm:p-6">
      <div>
        <h2 className="font-semibold tracking-tight">Admin Tools</h2>
        <p className="mt-1 text-sm text-ink-muted text-pretty">
          Delete chart images that are no longer needed.
        </p>
      </div>
      <CleanupImagesButton variant="secondary" />
    </Card>
  );
}

function DemoBanner() {
  const { isReplay, isRules } = useDemoStatus();
  if (!isReplay && !isRules) return null;
  return (
    <Alert tone="warning" role="status" title="Demo mode">
      <div className="flex flex-wrap gap-x-6">
        {isReplay && <p>Demo data: recorded candles shifted to the present, not live prices.</p>}
        {isRules && <p>Rule-based analysis: fixed rules instead of an AI model.</p>}
      </div>
    </Alert>
  );
}

/** Shows the market or the signal that the address names; one that this tab does not know has its own page. */
function useSignalFromUrl(results: RefObject<HTMLElement | null>): void {
  const [parameters] = useSearchParams();
  const navigate = useNavigate();
  const id = parameters.get("signal");
  const market = parameters.get("symbol");
  useEffect(() => {
    if (market === null) return;
    setInputs({ symbol: market.slice(0, SIGNAL_LIMITS.symbolLength.max).toUpperCase() });
    void navigate("/bot", { replace: true });
  }, [market, navigate]);
  useEffect(() => {
    if (id === null) return;
    if (!open(id)) return void navigate(`/signals/${id}`, { replace: true });
    void navigate("/bot", { replace: true });
    results.current?.focus({ preventScroll: true });
    results.current?.scrollIntoView({ block: "nearest" });
  }, [id, navigate, results]);
}

function open(id: string): boolean {
  const isTracked = useBot.getState().tracked.some((signal) => signal.id === id);
  const known = queryClient.getQueryData<SignalResponse>(signalKeys.detail(id));
  if (!isTracked && !known) return false;
  if (!isTracked && known) {
    const { symbol, timeframe, created_at } = known;
    track({ id, symbol, timeframe, requestedAt: Date.parse(created_at), withImage: false });
  }
  select(id);
  return true;
}
