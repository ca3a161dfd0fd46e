import { type ReactNode, useEffect, useRef } from "react";
import { Navigate, NavLink, useLocation } from "react-router-dom";
import { useOverview } from "../../lib/admin-overview.ts";
import { ConfirmButton } from "../../ui/confirm-button.tsx";
import { PageHeading } from "../../ui/page-heading.tsx";
import { AdminSection } from "./admin-section.tsx";
import { clearAllHistory, reasonOf, runAction } from "./api.ts";
import { useAdminSync } from "./apply-admin-event.ts";
import { ChannelsSection } from "./channels-section.tsx";
import { HealthSection } from "./health-section.tsx";
import { ImagesSection } from "./images-section.tsx";
import { Metrics, WaitingSection } from "./overview.tsx";
import { PaymentSection } from "./payment-section.tsx";
import { SecurityLog } from "./security-log.tsx";
import { SetupChecklist } from "./setup-checklist.tsx";
import { SubscriptionsSection } from "./subscriptions-section.tsx";
import { UsageSection } from "./usage-section.tsx";
import { ProofReview, WaitingProofs } from "./users/proof-review.tsx";
import { UsersSection } from "./users/users-section.tsx";

const USERS_ON_OVERVIEW = 20;
const USERS_PER_PAGE = 50;
const IMAGES_ON_OVERVIEW = 6;

export const OverviewPage = () => (
  <AdminFrame title="Admin" lead="What waits for you, the newest users and the latest images.">
    <SetupChecklist />
    <WaitingSection />
    <Metrics />
    <SubscriptionsSection />
    <UsersSection pageSize={USERS_ON_OVERVIEW} />
    <PaymentSection />
    <ImagesSection pageSize={IMAGES_ON_OVERVIEW} />
    <HistorySection />
  </AdminFrame>
);

export const UsersPage = () => (
  <AdminFrame title="Users">
    <UsersSection pageSize={USERS_PER_PAGE} isPage />
  </AdminFrame>
);

export const PaymentsPage = () => (
  <AdminFrame title="Payments">
    <AdminSection id="waiting" title="Waiting for review">
      <WaitingProofs />
    </AdminSection>
    <PaymentSection />
  </AdminFrame>
);

export const ImagesPage = () => (
  <AdminFrame title="Chart images">
    <ImagesSection isPage />
  </AdminFrame>
);

export const SystemPage = () => (
  <AdminFrame title="System">
    <HealthSection />
    <UsageSection />
    <ChannelsSection />
    <HistorySection />
  </AdminFrame>
);

export const AuditPage = () => (
  <AdminFrame
    title="Security log"
    lead="Sign-ins, changes of accounts, actions of administrators and refused access in the last year, newest first."
  >
    <SecurityLog />
  </AdminFrame>
);

export function SecurityLogRedirect() {
  const { search } = useLocation();
  return <Navigate to={`/admin/audit${search}`} replace />;
}

interface AdminFrameProps {
  title: string;
  lead?: string;
  children: ReactNode;
}

function AdminFrame({ title, lead, children }: AdminFrameProps) {
  useAdminSync();
  return (
    <div className="page flex flex-col gap-8 pt-3 pb-10">
      <PageTabs />
      <PageHeading title={title}>{lead}</PageHeading>
      {children}
      <ProofReview />
    </div>
  );
}

const tabs = [
  { to: "/admin", label: "Overview" },
  { to: "/admin/users", label: "Users" },
  { to: "/admin/payments", label: "Payments" },
  { to: "/admin/images", label: "Images" },
  { to: "/admin/system", label: "System" },
  { to: "/admin/audit", label: "Security log" },
] as const;

/** On small screens, the tabs scroll sideways. */
function PageTabs() {
  const nav = useRef<HTMLElement>(null);
  const { data } = useOverview();
  const counts: Record<string, number | undefined> = {
    "/admin/payments": data?.proofs,
    "/admin/system": data?.problems.length,
  };
  useEffect(() => {
    const current = nav.current?.querySelector("[aria-current]");
    current?.scrollIntoView({ block: "nearest", inline: "center" });
  }, []);
  return (
    <nav
      ref={nav}
      aria-label="Administration"
      className="-mx-4 overflow-x-auto border-b border-line px-4 [scrollbar-width:none] sm:-mx-6 sm:px-6 lg:mx-0 lg:px-0"
    >
      <ul className="flex">
        {tabs.map(({ to, label }) => (
          <li key={to}>
            <NavLink
              to={to}
              end
              className="-mb-px flex h-11 items-center gap-2 border-b-2 border-transparent px-3 text-sm font-medium whitespace-nowrap text-ink-muted transition-colors hover:text-ink aria-[current=page]:border-accent aria-[current=page]:text-ink"
            >
              {label}
              <TabCount count={counts[to] ?? 0} />
            </NavLink>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function TabCount({ count }: { count: number }) {
  if (count === 0) return null;
  return (
    <span className="figures rounded-full bg-raised px-1.5 text-xs text-wait">
      {count}
      <span className="sr-only"> waiting</span>
    </span>
  );
}

function HistorySection() {
  return (
    <AdminSection
      id="history"
      title="Signal history"
      lead="Deletes the finished signals of all users. To clear one user's history, use that user's card."
      action={
        <ConfirmButton
          label="Clear all history"
          title="Clear the signal history of all users?"
          run={() => runAction(clearAllHistory())}
          failureText={(error) => `Failed to clear all signal history. Error: ${reasonOf(error)}`}
        >
          Every finished signal of every user is deleted, with outcomes and chart images. Accounts
          and credits are kept. This cannot be undone.
        </ConfirmButton>
      }
    />
  );
}
