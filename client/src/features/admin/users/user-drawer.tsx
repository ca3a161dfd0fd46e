import { Dialog } from "@base-ui/react/dialog";
import type { CreditEntry, UserDetails } from "@shared/contract/admin.ts";
import type { HistoryItem } from "@shared/contract/signal.ts";
import { X } from "lucide-react";
import type { ReactNode } from "react";
import { useMe } from "../../../lib/me.ts";
import { buttonClass, TextLink } from "../../../ui/button.tsx";
import { Skeleton } from "../../../ui/card.tsx";
import { dialogClass } from "../../../ui/dialog-class.ts";
import { QueryView } from "../../../ui/load-error.tsx";
import { LocalTime } from "../../../ui/local-time.tsx";
import { OutcomeBadge } from "../../../ui/outcome-badge.tsx";
import { useSecurityLog, useUserDetails } from "../api.ts";
import { Entries } from "../security-log.tsx";
import { BillingPeriods } from "./billing-periods.tsx";
import { AccountActions, UserActions } from "./user-actions.tsx";
import { Email, SubscriptionState, UserFacts, UserTags } from "./user-card.tsx";
import { UserProof } from "./user-proof.tsx";

interface UserDrawerProps {
  /** Null while it is closed. */
  username: string | null;
  onClose(): void;
}

/** All about one user, beside the list. */
export function UserDrawer({ username, onClose }: UserDrawerProps) {
  return (
    <Dialog.Root open={username !== null} onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className={dialogClass.backdrop} />
        <Dialog.Popup className="fixed inset-y-0 right-0 z-50 flex w-[min(40rem,100vw)] flex-col border-l border-line bg-surface shadow-float transition-transform duration-200 data-ending-style:translate-x-full data-starting-style:translate-x-full">
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

function LoadedDetails({ details: { user, periods, credits, signals } }: { details: UserDetails }) {
  const isSelf = useMe()?.username === user.username;
  return (
    <>
      <div className="flex flex-col gap-3">
        <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <UserTags user={user} isSelf={isSelf} />
        </div>
        <Email user={user} />
        <UserFacts user={user} />
        <UserActions user={user} isSelf={isSelf} />
        <AccountActions user={user} isSelf={isSelf} />
        {isSelf && (
          <p className="text-xs text-ink-faint">You can't revoke or delete your own account.</p>
        )}
      </div>
      <Section title="Payment proof" empty={user.payment_proof === null && "No proof."}>
        {user.payment_proof && <UserProof user={user} proof={user.payment_proof} />}
      </Section>
      <Section title="Subscription" empty={user.subscription === null && "No subscription."}>
        {user.subscription && (
          <p className="figures text-sm">
            <SubscriptionState subscription={user.subscription} />. Started{" "}
            <LocalTime iso={user.subscription.started_at} />.
          </p>
        )}
        {periods.length > 0 && <BillingPeriods periods={periods} />}
      </Section>
      <Section title="Credits" empty={credits.length === 0 && "No credits were granted or spent."}>
        <CreditList credits={credits} />
      </Section>
      <Section title="Signals" empty={signals.length === 0 && "No signals."}>
        <SignalList signals={signals} />
      </Section>
      <AuditSection username={user.username} />
    </>
  );
}

interface SectionProps {
  title: string;
  /** Shown if there is nothing else to show. */
  empty: string | false;
  children?: ReactNode;
}

function Section({ title, empty, children }: SectionProps) {
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
    <Section title="Security log" empty={log.data?.length === 0 && "No entries."}>
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
    </Section>
  );
}
