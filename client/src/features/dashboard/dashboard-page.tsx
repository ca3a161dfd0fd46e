import { ShieldCheck, UserCog } from "lucide-react";
import { useLive } from "../../lib/live/live-store.ts";
import { useSession } from "../../lib/session.ts";
import { Notice } from "../../ui/notice.tsx";
import { PageHeading } from "../../ui/page-heading.tsx";
import { AccountCard } from "./account-card.tsx";
import { ApprovedCard, PendingCard } from "./approval-card.tsx";
import { LinkCard } from "./link-card.tsx";
import { dashboardTexts as texts } from "./texts.ts";

export function DashboardPage() {
  const approved = useSession((session) => session.approved);
  const isAdmin = useSession((session) => session.isAdmin);
  const emailVerified = useLive((live) => live.account?.email_verified ?? true);
  return (
    <div className="page flex flex-col gap-6 py-8 sm:py-10">
      <PageHeading title={texts.title} />
      {!emailVerified && (
        <Notice tone="info" title={texts.unverifiedTitle}>
          {texts.unverified}
        </Notice>
      )}
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-6 lg:grid-cols-[minmax(0,1.6fr)_minmax(0,1fr)]">
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
    </div>
  );
}
