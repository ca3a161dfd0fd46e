import { ShieldCheck, UserCog } from "lucide-react";
import { useLive } from "../../lib/live/live-store.ts";
import { useSession } from "../../lib/session.ts";
import { Notice } from "../../ui/notice.tsx";
import { PageHeading } from "../../ui/page-heading.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { AccountCard } from "./account-card.tsx";
import { ApprovedCard, PendingCard } from "./approval-card.tsx";
import { LinkCard } from "./link-card.tsx";
import { dashboardTexts as texts } from "./texts.ts";

export function DashboardPage() {
  // Nothing stands before it is known what stands above it; a server out of reach is not waited for.
  const isKnown = useLive((live) => live.account !== null || live.ready);
  return (
    <div className="page flex flex-col gap-6 py-8 sm:py-10">
      <PageHeading title={texts.title} />
      {isKnown ? <Overview /> : <OverviewSkeleton />}
    </div>
  );
}

const gridClass =
  "grid grid-cols-[minmax(0,1fr)] items-start gap-6 lg:grid-cols-[minmax(0,1.6fr)_minmax(0,1fr)]";

function OverviewSkeleton() {
  return (
    <div role="status" aria-label={texts.loading} className={gridClass}>
      <Skeleton className="h-96 rounded-card" />
      <Skeleton className="h-96 rounded-card" />
    </div>
  );
}

function Overview() {
  const approved = useSession((session) => session.approved);
  const isAdmin = useSession((session) => session.isAdmin);
  const emailVerified = useLive((live) => live.account?.email_verified ?? true);
  return (
    <>
      {!emailVerified && (
        <Notice tone="info" title={texts.unverifiedTitle}>
          {texts.unverified}
        </Notice>
      )}
      <div className={gridClass}>
        <div className="flex flex-col gap-6">
          {isAdmin && (
            <LinkCard
              Icon={ShieldCheck}
              title={texts.adminTitle}
              text={texts.admin}
              to="/admin"
              link={texts.openAdmin}
            />
          )}
          <div aria-live="polite">{approved ? <ApprovedCard /> : <PendingCard />}</div>
        </div>
        <div className="flex flex-col gap-6">
          <AccountCard />
          <LinkCard
            Icon={UserCog}
            title={texts.panelTitle}
            text={texts.panel}
            to="/user-panel"
            link={texts.openPanel}
          />
        </div>
      </div>
    </>
  );
}
