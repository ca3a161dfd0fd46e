import { CircleCheck, TriangleAlert } from "lucide-react";
import { type ReactNode, useEffect, useRef } from "react";
import { Navigate, NavLink, useLocation } from "react-router-dom";
import { useOverview } from "../../domain/admin-overview.ts";
import { formatCount } from "../../lib/format.ts";
import { linkClass, TextLink } from "../../ui/button.tsx";
import { Card, Skeleton } from "../../ui/card.tsx";
import { ConfirmButton } from "../../ui/confirm-button.tsx";
import { LoadError, QueryView } from "../../ui/load-states.tsx";
import { PageHeading } from "../../ui/page-heading.tsx";
import { AdminSection, Metric } from "./admin-section.tsx";
import { useAdminSync } from "./admin-state.ts";
import {
  clearAllHistory,
  reasonOf,
  runAction,
  useHealth,
  useSubscriptionSummary,
  useUsage,
} from "./api.ts";
import { BenchAdminSection, useAdminBench } from "./bench-card.tsx";
import { BrandingSection } from "./branding-section.tsx";
import { ChannelsSection } from "./channels-section.tsx";
import { HealthSection, problemTitles } from "./health-section.tsx";
import { ImagesSection } from "./images-section.tsx";
import { PaymentSection } from "./payment-section.tsx";
import { PaymentsList } from "./payments-list.tsx";
import { PlansSection } from "./plans-section.tsx";
import { SecurityLog } from "./security-log.tsx";
import { SetupChecklist } from "./setup-checklist.tsx";
import { SubscriptionsSection } from "./subscriptions-section.tsx";
import { TelegramChannelSection } from "./telegram-channel-section.tsx";
import { formatCost, UsageSection } from "./usage-section.tsx";
import { ProofReview, WaitingProofs } from "./users/proof-review.tsx";
import { formatFee } from "./users/subscription-terms.tsx";
import { UsersSection } from "./users/users-section.tsx";

const USERS_ON_OVERVIEW = 10;
const USERS_PER_PAGE = 100;
const IMAGES_ON_OVERVIEW = 6;

export const OverviewPage = () => (
  <AdminFrame title="Admin" lead="What waits for you, and today's figures.">
    <SetupChecklist />
    <WaitingSection />
    <Metrics />
    <UsersSection pageSize={USERS_ON_OVERVIEW} />
    <PaymentSection isCompact />
    <ImagesSection pageSize={IMAGES_ON_OVERVIEW} isCompact />
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
    <PaymentLinks />
    <SubscriptionsSection />
    <PaymentsList />
    <PlansSection />
    <PaymentSection />
  </AdminFrame>
);

const paymentLinks = [
  ["#plans", "Plans and prices"],
  ["#payment", "Payment settings"],
] as const;

/** Below a list of payments, the forms would be looked for. */
const PaymentLinks = () => (
  <nav aria-label="On this page" className="-mt-4 flex flex-wrap gap-x-5 gap-y-2 text-sm">
    {paymentLinks.map(([href, label]) => (
      <a key={href} href={href} className={linkClass}>
        {label}
      </a>
    ))}
  </nav>
);

export const BrandingPage = () => (
  <AdminFrame
    title="Branding"
    lead="How your product presents itself on all pages, in emails, messages and link previews."
  >
    <BrandingSection />
  </AdminFrame>
);

export const ImagesPage = () => (
  <AdminFrame title="Chart images">
    <ImagesSection isPage />
  </AdminFrame>
);

export function SystemPage() {
  // The number of workers, models and arms decides where the others stand: before it is known, they would be moved.
  const { isFetched: isHealthKnown } = useHealth();
  const { isFetched: isBenchKnown } = useAdminBench();
  return (
    <AdminFrame title="System">
      <HealthSection />
      <BenchAdminSection />
      {isHealthKnown && isBenchKnown && (
        <>
          <UsageSection />
          <ChannelsSection />
          <TelegramChannelSection />
        </>
      )}
    </AdminFrame>
  );
}

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
  { to: "/admin/branding", label: "Branding" },
  { to: "/admin/images", label: "Images" },
  { to: "/admin/system", label: "System" },
  { to: "/admin/audit", label: "Security log" },
] as const;

/** On small screens, the tabs scroll sideways. `relative` keeps the hidden texts of the counts from widening the page. */
function PageTabs() {
  const nav = useRef<HTMLElement>(null);
  const { data } = useOverview();
  const counts: Record<string, number | undefined> = {
    "/admin/payments": data?.proofs,
    "/admin/system": data?.problems.length,
  };
  // Again once the counts are known, which make the tabs wider.
  const isCounted = data !== undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  useEffect(() => {
    const current = nav.current?.querySelector("[aria-current]");
    current?.scrollIntoView({ block: "nearest", inline: "center" });
  }, [isCounted]);
  return (
    <nav
      ref={nav}
      aria-label="Administration"
      className="relative -mx-4 overflow-x-auto border-b border-line px-4 [scrollbar-width:none] sm:-mx-6 sm:px-6 lg:mx-0 lg:px-0"
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
      lead="Deletes the finished signals of all users. To clear one user's history, use that user's actions."
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

/** Payment proofs to review, and failures of the system. */
function WaitingSection() {
  return (
    <AdminSection id="waiting" title="Waiting for you">
      <div className="grid grid-cols-[minmax(0,1fr)] gap-3 lg:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
        <WaitingProofs />
        <Failures />
      </div>
    </AdminSection>
  );
}

function Failures() {
  return (
    <Card className="flex flex-col gap-3 p-4">
      <div className="flex items-center justify-between gap-3">
        <h3 className="font-medium">Failures</h3>
        <TextLink to="/admin/system" className="text-sm">
          System
        </TextLink>
      </div>
      <QueryView
        query={useOverview()}
        failed="Failed to load the state of the system."
        skeleton={<Skeleton className="h-6 w-48" />}
      >
        {({ problems }) =>
          problems.length === 0 ? (
            <p className="flex items-center gap-2 text-sm text-ink-muted">
              <CircleCheck aria-hidden className="size-4 shrink-0 text-buy" />
              All systems operational
            </p>
          ) : (
            <ul className="flex flex-col gap-2 text-sm">
              {problems.map((problem) => (
                <li key={problem} className="flex items-center gap-2 font-medium text-wait">
                  <TriangleAlert aria-hidden className="size-4 shrink-0" />
                  {problemTitles[problem]}
                </li>
              ))}
            </ul>
          )
        }
      </QueryView>
    </Card>
  );
}

function Metrics() {
  const { data, error, refetch } = useOverview();
  const { data: usage } = useUsage();
  const { data: subscriptions } = useSubscriptionSummary();
  if (error && !data) {
    return <LoadError title="Failed to load the counts." error={error} onRetry={refetch} />;
  }
  const metrics = [
    ["Monthly revenue", subscriptions && formatFee(subscriptions.monthly_revenue_usd)],
    ["Subscriptions", subscriptions && formatCount(subscriptions.active)],
    ["Pending approval", data && formatCount(data.pending)],
    // One analysis is the signal of all who ask for its market.
    ["Analyses today", usage && formatCount(usage.today.signals)],
    ["Failed signals, 24 h", data && formatCount(data.failed_signals)],
    ["AI cost today", usage && formatCost(usage.today)],
  ] as const;
  return (
    <dl className="grid grid-cols-2 gap-px overflow-hidden rounded-card border border-line bg-line sm:grid-cols-3 xl:grid-cols-6">
      {metrics.map(([label, value]) => (
        <Metric key={label} label={label}>
          {value ?? <Skeleton className="h-7 w-12" />}
        </Metric>
      ))}
    </dl>
  );
}
