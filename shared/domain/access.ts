import type { Subscription } from "@shared/contract/subscription.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import type { Settings } from "@shared/runtime/settings.ts";
import { statusAt } from "./subscription-schedule.ts";

/**
 * Whether a user may use the bot now. A subscription that has ended takes the approval away, which a worker stores soon
 * after. An approval from after that end is without an end.
 */
export const hasAccess = (
  { approved, subscription }: Pick<UserRecord, "approved" | "subscription">,
  at: Date,
): boolean =>
  approved && (!subscription || subscription.status === "ended" || at < subscription.accessEndsAt);

/** The same as a filter of users. */
export const accessFilter = (at: Date) => ({
  approved: true,
  $or: [
    { subscription: { $exists: false } },
    { "subscription.status": "ended" as const },
    { "subscription.accessEndsAt": { $gt: at } },
  ],
});

/** The subscription as it is now, whether or not a worker has stored its status. */
export function presentSubscription(
  { subscription }: Pick<UserRecord, "subscription">,
  at: Date,
): Subscription | null {
  if (!subscription) return null;
  const { plan, startedAt, endsAt, accessEndsAt } = subscription;
  const status = statusAt(subscription, at);
  return {
    plan,
    status,
    started_at: startedAt.toISOString(),
    ends_at: endsAt.toISOString(),
    grace_until: status === "grace" ? accessEndsAt.toISOString() : null,
  };
}

/** In production, administrators can only turn on their second factor until they have done so. */
export const mustEnrol = (
  { NODE_ENV }: Pick<Settings, "NODE_ENV">,
  { role, twoFactor }: Pick<UserRecord, "role" | "twoFactor">,
): boolean => NODE_ENV === "production" && role === "admin" && twoFactor === null;

/** Whether the user gets the events of the administrators' stream. */
export const readsAdminEvents = (
  settings: Pick<Settings, "NODE_ENV">,
  user: Pick<UserRecord, "role" | "twoFactor">,
): boolean => user.role === "admin" && !mustEnrol(settings, user);
