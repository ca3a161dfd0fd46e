import type { Me } from "@shared/contract/account.ts";
import {
  ArrowRight,
  BadgeCheck,
  BellRing,
  Bot,
  ChartLine,
  Check,
  Clock,
  History,
  type LucideIcon,
  ShieldCheck,
  UserCog,
  X,
} from "lucide-react";
import type { ReactNode } from "react";
import { Link } from "react-router-dom";
import { z } from "zod";
import { create } from "zustand";
import { createJSONStorage, persist } from "zustand/middleware";
import { useMe, waitingProof } from "../domain/me.ts";
import { useChannels } from "../features/channels/api.ts";
import { PaymentProof } from "../features/payments/payment-proof.tsx";
import { SubscriptionCard } from "../features/payments/subscription-card.tsx";
import { useRealtime } from "../lib/realtime/store.ts";
import { browserStorage, useSession } from "../lib/session.ts";
import { Alert } from "../ui/alert.tsx";
import { buttonClass, TextLink } from "../ui/button.tsx";
import { Card, Skeleton } from "../ui/card.tsx";
import { lazyComponent } from "../ui/lazy-component.tsx";
import { PageHeading } from "../ui/page-heading.tsx";

const SetupProgress = lazyComponent(
  () => import("../features/admin/setup-checklist.tsx"),
  "SetupProgress",
  { isSilent: true },
);

const SampleSignal = lazyComponent(
  () => import("../features/signals/components/latest-result.tsx"),
  "LatestResult",
  { isSilent: true },
);

export function DashboardPage() {
  // Waiting for the account avoids layout shifts; an unreachable server is not waited for.
  const isKnown = useRealtime((live) => live.ready);
  return (
    <div className="page flex flex-col gap-6 py-8 sm:py-10">
      <PageHeading title="Dashboard" />
      {isKnown ? (
        <Overview />
      ) : (
        <div role="status" aria-label="Loading your account" className={gridClass}>
          <Skeleton className="h-96 rounded-card" count={2} />
        </div>
      )}
    </div>
  );
}

const gridClass =
  "grid grid-cols-[minmax(0,1fr)] items-start gap-6 lg:grid-cols-[minmax(0,1.6fr)_minmax(0,1fr)]";

function Overview() {
  const approved = useSession((session) => session.approved);
  const isAdmin = useSession((session) => session.isAdmin);
  const account = useMe();
  const emailVerified = account?.email_verified ?? true;
  const hasPlan = account && (account.subscription || (approved && !isAdmin));
  const subscription = hasPlan && <SubscriptionCard account={account} approved={approved} />;
  return (
    <>
      {approved && !emailVerified && (
        <Alert tone="info" title="Please verify your email">
          Open the link in the email we sent when you registered. No email?{" "}
          <TextLink to="/user-panel">Send a new link</TextLink>
        </Alert>
      )}
      <div className={gridClass}>
        <div className="flex flex-col gap-6">
          {isAdmin && (
            <LinkCard
              Icon={ShieldCheck}
              title="Administration"
              text="Users, payments, uploaded images, the system and the security log."
              to="/admin"
              link="Open the admin panel"
            >
              <SetupProgress />
            </LinkCard>
          )}
          {!approved && subscription}
          <div aria-live="polite">{approved ? <ApprovedCard /> : <PendingCard />}</div>
          {approved && subscription}
        </div>
        <div className="flex flex-col gap-6">
          <AccountCard />
          <LinkCard
            Icon={UserCog}
            title="User Panel"
            text="Manage your password, email and notifications."
            to="/user-panel"
            link="Account settings"
          />
          {/* Last, as they appear late and must move nothing. */}
          {!approved && <SampleSignal className="rounded-card border border-line bg-surface p-6" />}
          {approved && <MemberCards />}
        </div>
      </div>
    </>
  );
}

const MemberCards = () => (
  <>
    <LinkCard
      Icon={ChartLine}
      title="Results"
      text="What an account would have done that had followed your signals."
      to="/results"
      link="See your results"
    />
    <ChannelNudge />
  </>
);

function ApprovedCard() {
  return (
    <Card className="flex animate-enter flex-col gap-6 p-6 sm:p-8">
      <div className="flex gap-4">
        <BadgeCheck aria-hidden className="size-8 shrink-0 text-buy" strokeWidth={1.75} />
        <div>
          <h2 className="text-xl font-semibold tracking-tight">Account Approved</h2>
          <p className="mt-1 text-ink-muted">
            You can now use the signal bot and view your history.
          </p>
        </div>
      </div>
      <div className="flex flex-col gap-3 sm:flex-row">
        <Link to="/bot" className={buttonClass({ size: "lg" })}>
          <Bot aria-hidden className="size-5" />
          Open the signal bot
        </Link>
        <Link to="/signal-history" className={buttonClass({ variant: "secondary", size: "lg" })}>
          <History aria-hidden className="size-5" />
          View signal history
        </Link>
      </div>
    </Card>
  );
}

function PendingCard() {
  const isEnded = Boolean(useMe()?.subscription);
  return (
    <Card className="animate-enter">
      <div className="flex gap-4 p-6 sm:p-8">
        <Clock aria-hidden className="size-8 shrink-0 text-wait" strokeWidth={1.75} />
        <div className="flex flex-col items-start gap-4">
          <div>
            <h2 className="text-xl font-semibold tracking-tight">Approval Pending</h2>
            <p className="mt-1 text-ink-muted text-pretty">
              {isEnded
                ? "Renew your subscription to use the signal bot again."
                : "Three steps to your first signal."}{" "}
              This page updates automatically.{" "}
              <TextLink to="/pricing">See plans and pricing</TextLink>
            </p>
          </div>
          <ApprovalSteps />
        </div>
      </div>
      <div className="border-t border-line p-6 sm:p-8">
        <PaymentProof />
      </div>
    </Card>
  );
}

/** What a trader and an administrator do until the trader is approved. */
function ApprovalSteps() {
  const account = useMe();
  const hasProof = waitingProof(account) !== null;
  const steps = [
    {
      title: "Verify your email",
      isDone: account?.email_verified,
      done: `${account?.email} is verified.`,
      next: (
        <>
          Open the link in the email we sent to {account?.email}. No email?{" "}
          <TextLink to="/user-panel">Send a new link</TextLink>
        </>
      ),
    },
    {
      title: "Send a payment proof",
      isDone: hasProof,
      done: "We have received your proof.",
      next: (
        <>
          <TextLink to="/payment">Pay for a plan</TextLink>, then upload a screenshot of the payment
          below.
        </>
      ),
    },
    {
      title: "Approval",
      isDone: false,
      done: "",
      next: hasProof
        ? "An administrator is reviewing your proof."
        : "An administrator reviews your proof and approves your account.",
    },
  ];
  if (!account) return <Skeleton className="h-36 w-full" />;
  return (
    <ol aria-label="Steps to approval" className="flex flex-col gap-2.5">
      {steps.map(({ title, isDone, done, next }, index) => (
        <li key={title} className="flex gap-3">
          <span
            aria-hidden
            className={`figures flex size-6 shrink-0 items-center justify-center rounded-full text-sm font-semibold ${isDone ? "bg-buy/15 text-buy" : "bg-raised text-ink-muted"}`}
          >
            {isDone ? <Check className="size-4" /> : index + 1}
          </span>
          <div className="min-w-0">
            <p className="font-medium">
              {title}
              <span className="sr-only">{isDone ? ": done" : ": to do"}</span>
            </p>
            <p className="text-sm text-ink-muted wrap-anywhere">{isDone ? done : next}</p>
          </div>
        </li>
      ))}
    </ol>
  );
}

function AccountCard() {
  const account = useMe();
  return (
    <Card className="p-6">
      <h2 className="text-sm font-medium text-ink-muted">Account</h2>
      <dl className="mt-4 flex flex-col gap-4">
        <Fact label="Username" value={account?.username} />
        <Fact label="Email" value={account && <Email account={account} />} />
        <Fact label="Image credits" value={account?.image_credits} />
      </dl>
    </Card>
  );
}

function Email({ account }: { account: Me }) {
  const { email, email_verified } = account;
  return (
    <>
      <span className="break-all">{email}</span>
      <span className={`ml-2 text-sm ${email_verified ? "text-buy" : "text-wait"}`}>
        {email_verified ? "Verified" : "Not verified"}
      </span>
    </>
  );
}

function Fact({ label, value }: { label: string; value: ReactNode }) {
  return (
    <div>
      <dt className="text-sm text-ink-faint">{label}</dt>
      <dd className="figures mt-0.5">{value ?? <Skeleton className="h-6 w-36" />}</dd>
    </div>
  );
}

interface LinkCardProps {
  Icon: LucideIcon;
  title: string;
  text: string;
  to: string;
  link: string;
  children?: ReactNode;
}

function LinkCard({ Icon, title, text, to, link, children }: LinkCardProps) {
  return (
    <Card className="flex gap-4 p-6">
      <Icon aria-hidden className="size-6 shrink-0 text-accent" strokeWidth={1.75} />
      <div className="flex min-w-0 flex-col items-start gap-1">
        <h2 className="font-semibold tracking-tight">{title}</h2>
        <p className="text-sm leading-relaxed text-ink-muted text-pretty">{text}</p>
        {children}
        <Link
          to={to}
          className="mt-2 inline-flex items-center gap-1.5 rounded text-sm font-medium text-accent hover:text-accent-strong"
        >
          {link}
          <ArrowRight aria-hidden className="size-4" />
        </Link>
      </div>
    </Card>
  );
}

const nudgeSchema = z.object({ isDismissed: z.boolean() });
type NudgeState = z.infer<typeof nudgeSchema>;

const useNudge = create<NudgeState>()(
  persist((): NudgeState => ({ isDismissed: false }), {
    name: "channel-nudge",
    storage: createJSONStorage(browserStorage),
    merge: (stored, current) => nudgeSchema.safeParse(stored).data ?? current,
  }),
);

/** Offers channels to users who have none. */
export function ChannelNudge() {
  const isDismissed = useNudge((nudge) => nudge.isDismissed);
  return isDismissed ? null : <Nudge />;
}

function Nudge() {
  const { data } = useChannels();
  if (data?.channels.length !== 0) return null;
  return (
    <div className="flex animate-enter items-center gap-3 rounded-control border border-line px-4 py-3 text-sm">
      <BellRing aria-hidden className="size-5 shrink-0 text-accent" strokeWidth={1.75} />
      <p className="min-w-0 grow text-ink-muted text-pretty">
        Get signals when this tab is closed.{" "}
        <TextLink to="/user-panel#notifications">Add a channel</TextLink>
      </p>
      <button
        type="button"
        aria-label="Dismiss"
        onClick={() => useNudge.setState({ isDismissed: true })}
        className="rounded-lg p-1 text-ink-faint transition-colors hover:text-ink"
      >
        <X aria-hidden className="size-4" />
      </button>
    </div>
  );
}
