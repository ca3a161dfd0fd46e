import { BadgeCheck, Bot, Clock, History } from "lucide-react";
import { Link } from "react-router-dom";
import { useLive } from "../../lib/live/live-store.ts";
import { useSession } from "../../lib/session.ts";
import { buttonClass } from "../../ui/button-class.ts";
import { Card } from "../../ui/card.tsx";
import { Notice } from "../../ui/notice.tsx";
import { PageHeading } from "../../ui/page-heading.tsx";
import { AccountCard } from "./account-card.tsx";
import { dashboardTexts as texts } from "./texts.ts";

export function DashboardPage() {
  const approved = useSession((session) => session.approved);
  const emailVerified = useLive((live) => live.account?.email_verified ?? true);
  return (
    <div className="page flex flex-col gap-6 py-8 sm:py-10">
      <PageHeading title={texts.title} />
      {!emailVerified && (
        <Notice tone="info" title={texts.unverifiedTitle}>
          {texts.unverified}
        </Notice>
      )}
      <div className="grid items-start gap-6 lg:grid-cols-[1.6fr_1fr]">
        <div aria-live="polite">{approved ? <ApprovedCard /> : <PendingCard />}</div>
        <AccountCard />
      </div>
    </div>
  );
}

function ApprovedCard() {
  return (
    <Card className="flex flex-col gap-6 p-6 sm:p-8">
      <div className="flex gap-4">
        <BadgeCheck aria-hidden className="size-8 shrink-0 text-buy" strokeWidth={1.75} />
        <div>
          <h2 className="text-xl font-semibold tracking-tight">{texts.approvedTitle}</h2>
          <p className="mt-1 text-ink-muted">{texts.approved}</p>
        </div>
      </div>
      <div className="flex flex-col gap-3 sm:flex-row">
        <Link to="/bot" className={buttonClass({ size: "lg" })}>
          <Bot aria-hidden className="size-5" />
          {texts.openBot}
        </Link>
        <Link to="/signal-history" className={buttonClass({ variant: "secondary", size: "lg" })}>
          <History aria-hidden className="size-5" />
          {texts.openHistory}
        </Link>
      </div>
    </Card>
  );
}

function PendingCard() {
  return (
    <Card className="flex gap-4 p-6 sm:p-8">
      <Clock aria-hidden className="size-8 shrink-0 text-wait" strokeWidth={1.75} />
      <div>
        <h2 className="text-xl font-semibold tracking-tight">{texts.pendingTitle}</h2>
        <p className="mt-1 text-ink-muted text-pretty">{texts.pending}</p>
      </div>
    </Card>
  );
}
