import { lazy, Suspense, useEffect, useRef } from "react";
import { useSession } from "../../lib/session.ts";
import { PageHeading } from "../../ui/page-heading.tsx";
import { resumeAttempt } from "./ask-signal.ts";
import { BotForm } from "./bot-form.tsx";
import { DemoBanner } from "./demo-banner.tsx";
import { ResultArea } from "./result-area.tsx";
import { SignalAnnouncer } from "./signal-announcer.tsx";
import { botTexts } from "./texts.ts";
import { useAnalyzing } from "./use-analyzing.ts";

const AdminTools = lazy(async () => ({
  default: (await import("./admin-tools.tsx")).AdminTools,
}));

/** From this width on, form and result stand beside each other. */
const WIDE = "(width >= 64rem)";

export function BotPage() {
  const analyzing = useAnalyzing();
  const isAdmin = useSession((session) => session.isAdmin);
  const results = useRef<HTMLElement>(null);
  useEffect(() => void resumeAttempt(), []);
  // The next frame holds what the request has changed, and with it the height to scroll to.
  const showResults = () => {
    if (window.matchMedia(WIDE).matches) return;
    requestAnimationFrame(() => results.current?.scrollIntoView());
  };
  return (
    <div className="page flex flex-col gap-6 py-8 sm:py-10">
      <PageHeading title={botTexts.title}>{botTexts.lead}</PageHeading>
      <DemoBanner />
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-6 lg:grid-cols-[22rem_minmax(0,1fr)]">
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
          aria-label={botTexts.results}
          className="scroll-mt-20 [overflow-anchor:none]"
        >
          <ResultArea />
        </section>
      </div>
      <SignalAnnouncer analyzing={analyzing} />
    </div>
  );
}
