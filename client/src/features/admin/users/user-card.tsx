import type { UserCard } from "@shared/contract/account.ts";
import { planById } from "@shared/contract/plans.ts";
import type { Subscription } from "@shared/contract/subscription.ts";
import {
  BadgeCheck,
  ChevronRight,
  Clock,
  MailCheck,
  MailQuestion,
  ShieldCheck,
} from "lucide-react";
import { memo, type ReactNode } from "react";
import { useMe } from "../../../lib/me.ts";
import { LocalTime } from "../../../ui/local-time.tsx";
import { UserActions } from "./user-actions.tsx";
import { UserProof } from "./user-proof.tsx";

interface UserItemProps {
  user: UserCard;
  onOpen(username: string): void;
}

export const UserItem = memo(function UserItem({ user, onOpen }: UserItemProps) {
  const isSelf = useMe()?.username === user.username;
  const titleId = `user-${user.username}`;
  return (
    <article
      aria-labelledby={titleId}
      className="grid w-full min-w-0 grid-cols-[minmax(0,1fr)] gap-3 rounded-card border border-line bg-surface p-3 sm:px-4 lg:grid-cols-[minmax(0,1fr)_26rem] lg:gap-6 xl:grid-cols-[minmax(0,1fr)_30rem]"
    >
      <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-3 md:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <div className="flex min-w-0 flex-col gap-1">
          <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
            <h3 id={titleId} className="font-semibold tracking-tight break-all">
              {user.username}
            </h3>
            <UserTags user={user} isSelf={isSelf} />
            <button
              type="button"
              aria-haspopup="dialog"
              onClick={() => onOpen(user.username)}
              className="inline-flex items-center rounded text-sm font-medium text-accent hover:underline max-sm:ml-auto"
            >
              Details
              <ChevronRight aria-hidden className="size-4" />
            </button>
          </div>
          <Email user={user} />
          <UserFacts user={user} />
        </div>
        {user.payment_proof && <UserProof user={user} proof={user.payment_proof} />}
      </div>
      <UserActions user={user} isSelf={isSelf} />
    </article>
  );
});

/** Approval, role, and whether it is the reader. */
export function UserTags({ user, isSelf }: { user: UserCard; isSelf: boolean }) {
  const { approved } = user;
  const Icon = approved ? BadgeCheck : Clock;
  return (
    <>
      {isSelf && <Tag>You</Tag>}
      {user.role === "admin" && (
        <Tag>
          <ShieldCheck aria-hidden className="size-3.5" />
          Admin
        </Tag>
      )}
      <span
        className={`inline-flex shrink-0 items-center gap-1 text-sm font-medium ${approved ? "text-buy" : "text-wait"}`}
      >
        <Icon aria-hidden className="size-4" />
        {approved ? "Approved" : "Pending"}
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

export function Email({ user }: { user: UserCard }) {
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
      <span className="min-w-0 break-all">{user.email}</span>
    </p>
  );
}

const subscriptionStates = {
  active: { text: "ends", look: "text-buy" },
  grace: { text: "in grace, access until", look: "text-wait" },
  ended: { text: "ended", look: "text-ink-muted" },
} as const;

/** Plan, status and end of a subscription. */
export function SubscriptionState({ subscription }: { subscription: Subscription }) {
  const { plan, status, ends_at, grace_until } = subscription;
  const { text, look } = subscriptionStates[status];
  return (
    <>
      <span className={look}>{planById(plan).name}</span>, {text}{" "}
      <LocalTime iso={grace_until ?? ends_at} />
    </>
  );
}

export function UserFacts({ user }: { user: UserCard }) {
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
