import { Dialog } from "@base-ui/react/dialog";
import type { UserCard } from "@shared/contract/account.ts";
import type { CreditEntry, UserDetails } from "@shared/contract/admin.ts";
import { planById } from "@shared/contract/plans.ts";
import type { HistoryItem } from "@shared/contract/signal.ts";
import type { Subscription } from "@shared/contract/subscription.ts";
import { BadgeCheck, Clock, MailCheck, MailQuestion, ShieldCheck, X } from "lucide-react";
import type { ReactNode } from "react";
import { OutcomeBadge } from "../../../domain/badges.tsx";
import { useMe } from "../../../domain/me.ts";
import { formatDay } from "../../../lib/format.ts";
import { buttonClass, TextLink } from "../../../ui/button.tsx";
import { Skeleton } from "../../../ui/card.tsx";
import { dialogClass, useOpener } from "../../../ui/dialog.tsx";
import { QueryView } from "../../../ui/load-states.tsx";
import { LocalTime } from "../../../ui/local-time.tsx";
import { useSecurityLog, useUserDetails } from "../api.ts";
import { Entries } from "../security-log.tsx";
import { AccountActions, UserActions } from "./user-actions.tsx";
import { BillingPeriods, UserProof } from "./user-proof.tsx";

interface UserTagsProps {
  user: UserCard;
  isSelf: boolean;
  /** Where there is little room, the approval is a sign. */
  isCompact?: boolean;
}

/** Approval, role, and whether it is the reader. */
export function UserTags({ user, isSelf, isCompact = false }: UserTagsProps) {
  const { approved } = user;
  const Icon = approved ? BadgeCheck : Clock;
  return (
    <>
      {isSelf && <Tag>You</Tag>}
      {user.role === "admin" && (
        <Tag>
          <ShieldCheck aria-hidden className="size-3.5" />
          <span className={isCompact ? "max-sm:sr-only" : ""}>Admin</span>
        </Tag>
      )}
      <span
        className={`inline-flex shrink-0 items-center gap-1 text-sm font-medium ${isCompact ? "sm:hidden" : ""} ${approved ? "text-buy" : "text-wait"}`}
      >
        <Icon aria-hidden className="size-4" />
        <span className={isCompact ? "sr-only" : ""}>{approved ? "Approved" : "Pending"}</span>
      </span>
    </>
  );
}

function Tag({ children }: { children: ReactNode }) {
  return (
    <span className="inline-flex items-center gap-1 rounded-md bg-raised px-1.5 py-0.5 text-xs font-medium text-ink-muted">
      {children}
    </span>
  );
}

function Email({ user }: { user: UserCard }) {
  const Icon = user.email_verified ? MailCheck : MailQuestion;
  const status = user.email_verified ? "Email verified" : "Email not verified";
  return (
    <p className="flex items-center gap-1.5 text-sm text-ink-muted">
      <Icon
        role="img"
        aria-label={status}
        className={`size-4 shrink-0 ${user.email_verified ? "text-buy" : "text-wait"}`}
      >
        <title>{status}</title>
      </Icon>
      <span className="min-w-0 wrap-anywhere">{user.email}</span>
    </p>
  );
}

const subscriptionStates = {
  active: { text: "ends", look: "text-buy" },
  grace: { text: "in grace, access until", look: "text-wait" },
  ended: { text: "ended", look: "text-ink-muted" },
} as const;

interface SubscriptionStateProps {
  subscription: Subscription;
  /** Without the time of day. */
  isDay?: boolean;
}

/** Plan, status and end of a subscription. */
export function SubscriptionState({ subscription, isDay = false }: SubscriptionStateProps) {
  const { plan, status, ends_at, grace_until } = subscription;
  const { text, look } = subscriptionStates[status];
  return (
    <>
      <span className={look}>{planById(plan).name}</span>, {text}{" "}
      {isDay ? formatDay(grace_until ?? ends_at) : <LocalTime iso={grace_until ?? ends_at} />}
    </>
  );
}

function UserFacts({ user, apiKeys }: { user: UserCard; apiKeys: number }) {
  const facts = [
    ...(user.subscription
      ? [
          [
            "Subscription",
            <SubscriptionState key="state" subscription={user.subscription} />,
          ] as const,
        ]
      : []),
    ["Image credits", user.image_credits],
    ["Image upload", user.allow_image_upload ? "Allowed" : "Blocked"],
    ["API keys", apiKeys],
    ["Registered", <LocalTime key="registered" iso={user.created_at} />],
  ] as const;
  return (
    <dl className="figures flex flex-wrap gap-x-4 gap-y-0.5 text-xs">
      {facts.map(([label, value]) => (
        <div key={label} className="flex gap-1.5">
          <dt className="text-ink-faint">{label}</dt>
          <dd className="font-medium">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

interface UserDrawerProps {
  /** Null while it is closed. */
  username: string | null;
  onClose(): void;
}

/** All about one user, beside the list. */
export function UserDrawer({ username, onClose }: UserDrawerProps) {
  const opener = useOpener(username !== null);
  return (
    <Dialog.Root open={username !== null} onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className={dialogClass.backdrop} />
        <Dialog.Popup
          finalFocus={opener}
          className="fixed inset-y-0 right-0 z-50 flex w-[min(40rem,100vw)] flex-col border-l border-line bg-surface shadow-float transition-transform duration-200 data-ending-style:translate-x-full data-starting-style:translate-x-full"
        >
          <header className="flex items-center justify-between gap-4 border-b border-line px-4 py-3 sm:px-5">
            <Dialog.Title className={`min-w-0 truncate ${dialogClass.title}`}>
              {username}
            </Dialog.Title>
            <Dialog.Close
              aria-label="Close"
              className={`${buttonClass({ variant: "ghost", size: "sm" })} px-2`}
            >
              <X aria-hidden className="size-5" />
            </Dialog.Close>
          </header>
          <div className="flex flex-col gap-6 overflow-y-auto px-4 py-4 sm:px-5">
            {username !== null && <Details username={username} />}
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Details({ username }: { username: string }) {
  return (
    <QueryView
      query={useUserDetails(username)}
      failed="Failed to load the user."
      skeleton={
        <div className="flex flex-col gap-4">
          <Skeleton className="h-32" count={4} />
        </div>
      }
    >
      {(details) => <LoadedDetails details={details} />}
    </QueryView>
  );
}

function LoadedDetails({ details }: { details: UserDetails }) {
  const { user, periods, credits, signals, api_keys: apiKeys } = details;
  const isSelf = useMe()?.username === user.username;
  return (
    <>
      <div className="flex flex-col gap-3">
        <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <UserTags user={user} isSelf={isSelf} />
        </div>
        <Email user={user} />
        <UserFacts user={user} apiKeys={apiKeys} />
        <UserActions user={user} isSelf={isSelf} />
        <AccountActions user={user} isSelf={isSelf} />
        {isSelf && (
          <p className="text-xs text-ink-faint">You can't revoke or delete your own account.</p>
        )}
      </div>
      <DetailsSection title="Payment proof" empty={user.payment_proof === null && "No proof."}>
        {user.payment_proof && <UserProof user={user} proof={user.payment_proof} />}
      </DetailsSection>
      <DetailsSection title="Subscription" empty={user.subscription === null && "No subscription."}>
        {user.subscription && (
          <p className="figures text-sm">
            <SubscriptionState subscription={user.subscription} />. Started{" "}
            <LocalTime iso={user.subscription.started_at} />.
          </p>
        )}
        {periods.length > 0 && <BillingPeriods periods={periods} />}
      </DetailsSection>
      <DetailsSection
        title="Credits"
        empty={credits.length === 0 && "No credits were granted or spent."}
      >
        <CreditList credits={credits} />
      </DetailsSection>
      <DetailsSection title="Signals" empty={signals.length === 0 && "No signals."}>
        <SignalList signals={signals} />
      </DetailsSection>
      <AuditSection username={user.username} />
    </>
  );
}

interface DetailsSectionProps {
  title: string;
  /** Shown if there is nothing else to show. */
  empty: string | false;
  children?: ReactNode;
}

function DetailsSection({ title, empty, children }: DetailsSectionProps) {
  return (
    <section aria-label={title} className="flex flex-col gap-2">
      <h3 className="font-semibold tracking-tight">{title}</h3>
      {empty ? <p className="text-sm text-ink-muted">{empty}</p> : children}
    </section>
  );
}

const listClass = "divide-y divide-line rounded-control border border-line text-sm";
const itemClass = "flex flex-wrap items-baseline justify-between gap-x-4 gap-y-0.5 px-3 py-2";

/** The last entries of the credit ledger; each shows the balance after it. */
const CreditList = ({ credits }: { credits: CreditEntry[] }) => (
  <ul className={listClass}>
    {credits.map(({ id, at, amount, balance, by, why }) => (
      <li key={id} className={itemClass}>
        <span className="min-w-0">
          <span className={`figures font-semibold ${amount < 0 ? "text-sell" : "text-buy"}`}>
            {amount > 0 ? `+${amount}` : amount}
          </span>{" "}
          {why} <span className="text-ink-faint">By {by}.</span>
        </span>
        <span className="figures text-xs text-ink-muted">
          Balance {balance} · <LocalTime iso={at} atEnd />
        </span>
      </li>
    ))}
  </ul>
);

const SignalList = ({ signals }: { signals: HistoryItem[] }) => (
  <ul className={listClass}>
    {signals.map(({ id, symbol, timeframe, signal, status, outcome, timestamp }) => (
      <li key={id} className={itemClass}>
        <span>
          <span className="font-semibold">{status === "failed" ? "Failed" : signal}</span> {symbol},{" "}
          {timeframe}
        </span>
        <span className="figures flex items-baseline gap-3 text-xs text-ink-muted">
          {signal !== "WAIT" && <OutcomeBadge outcome={outcome} />}
          <LocalTime iso={timestamp} atEnd />
        </span>
      </li>
    ))}
  </ul>
);

const MAX_ENTRIES = 10;

function AuditSection({ username }: { username: string }) {
  const log = useSecurityLog({ user: username, limit: MAX_ENTRIES });
  return (
    <DetailsSection title="Security log" empty={log.data?.length === 0 && "No entries."}>
      <QueryView
        query={log}
        failed="Failed to load the security log."
        skeleton={<Skeleton className="h-32" />}
      >
        {(entries) => <Entries entries={entries.slice(0, MAX_ENTRIES)} />}
      </QueryView>
      <TextLink to={`/admin/audit?user=${encodeURIComponent(username)}`} className="text-sm">
        All entries about {username}
      </TextLink>
    </DetailsSection>
  );
}
