import { lazy, Suspense, useDeferredValue, useEffect, useRef } from "react";
import { useSession } from "../../lib/session.ts";
import { resumeAttempt } from "./ask-signal.ts";
import { BotForm } from "./bot-form.tsx";
import { BotFrame, botGridClass } from "./bot-frame.tsx";
import { DemoBanner } from "./demo-banner.tsx";
import { ResultArea } from "./result-area.tsx";
import { SignalAnnouncer } from "./signal-announcer.tsx";
import { botTexts } from "./texts.ts";
import { useAnalyzing } from "./use-analyzing.ts";
import { useNamedSignal } from "./use-named-signal.ts";
import { useStatus } from "./use-status.ts";

const AdminTools = lazy(async () => ({
  default: (await import("./admin-tools.tsx")).AdminTools,
}));

const NoticesButton = lazy(async () => ({
  default: (await import("./notices-button.tsx")).NoticesButton,
}));

/** From this width on, form and result stand beside each other. */
const WIDE = "(width >= 64rem)";

export function BotPage() {
  const analyzing = useAnalyzing();
  // Nothing stands before it is known whether the banner stands above it.
  const { isPending } = useStatus();
  // Deferred, React makes the form in small steps, and the page hears its reader in between.
  const isReady = !useDeferredValue(isPending);
  useEffect(() => void resumeAttempt(), []);
  return (
    <>
      <BotFrame aside={notices}>
        {isReady ? <Workplace analyzing={analyzing} /> : undefined}
      </BotFrame>
      <SignalAnnouncer analyzing={analyzing} />
    </>
  );
}

const notices = (
  <Suspense fallback={null}>
    <NoticesButton />
  </Suspense>
);

/** Form and results. */
function Workplace({ analyzing }: { analyzing: boolean }) {
  const isAdmin = useSession((session) => session.isAdmin);
  const results = useRef<HTMLElement>(null);
  useNamedSignal(results);
  // The next frame holds what the request has changed, and with it the height to scroll to.
  const showResults = () => {
    if (window.matchMedia(WIDE).matches) return;
    requestAnimationFrame(() => results.current?.scrollIntoView());
  };
  return (
    <>
      <DemoBanner />
      <div className={botGridClass}>
        <aside className="flex flex-col gap-6 [@media(width>=64rem)_and_(height>=60rem)]:sticky [@media(width>=64rem)_and_(height>=60rem)]:top-24">
          <BotForm analyzing={analyzing} onAsked={showResults} />
          {isAdmin && (
            <Suspense fallback={null}>
              <AdminTools />
            </Suspense>
          )}
        </aside>
        <section
          ref={results}
          tabIndex={-1}
          aria-label={botTexts.results}
          className="scroll-mt-20 outline-none [overflow-anchor:none]"
        >
          <ResultArea />
        </section>
      </div>
    </>
  );
}
