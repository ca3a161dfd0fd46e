import type { Subscription } from "@shared/contract/subscription.ts";
import type { UserRecord } from "../database/models/user.ts";
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
    { "subscription.status": "ended" },
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
