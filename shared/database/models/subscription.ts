import type { PlanId } from "@shared/contract/plans.ts";
import type { SubscriptionStatus } from "@shared/contract/subscription.ts";
import type { Connection, Types } from "mongoose";
import { modelOf, ObjectId, recordSchema } from "./record-schema.ts";

/** A subscription, stored in its user. `subscription-schedule.ts` derives what is due and when. */
export interface SubscriptionRecord {
  /** Of the last billing period. */
  plan: PlanId;
  /** The last status that was announced. Access follows `accessEndsAt`. */
  status: SubscriptionStatus;
  /** Start of the first month. All months start on its day. */
  startedAt: Date;
  /** Paid months. */
  months: number;
  /** Months whose image credits are granted. */
  creditedMonths: number;
  endsAt: Date;
  /** End of the grace period. */
  accessEndsAt: Date;
  /** Days before `endsAt` of the last reminder, which may have been skipped; null before the first. */
  remindedDays: number | null;
  /** When the next credits, reminder or change of the status are due; null once it has ended. */
  nextDueAt: Date | null;
}

/** A payment: some months of one plan. */
export interface BillingPeriodRecord {
  _id: Types.ObjectId;
  userId: Types.ObjectId;
  plan: PlanId;
  months: number;
  /** `startedAt` of the subscription. */
  subscribedAt: Date;
  /** Months of the subscription before this period. */
  firstMonth: number;
  startedAt: Date;
  endsAt: Date;
  revokedAt?: Date;
  /** Administrator who accepted the payment. */
  by: string;
  proofId?: Types.ObjectId;
  createdAt: Date;
}

const billingPeriodSchema = recordSchema<BillingPeriodRecord>("billing_periods", {
  userId: ObjectId,
  proofId: ObjectId,
});
billingPeriodSchema.index({ userId: 1, subscribedAt: 1, firstMonth: 1 }, { unique: true });
billingPeriodSchema.index({ proofId: 1 }, { sparse: true });
billingPeriodSchema.index({ endsAt: 1 });

export const EMAIL_KINDS = [
  "subscription-started",
  "subscription-renewed",
  "subscription-expiring",
  "subscription-grace",
  "subscription-ended",
] as const;

/** An email that is stored in the transaction of the change it reports, and deleted when it is sent. */
export interface EmailRecord {
  _id: Types.ObjectId;
  userId: Types.ObjectId;
  kind: (typeof EMAIL_KINDS)[number];
  /** Of the subscription at that time. */
  subscription: Pick<SubscriptionRecord, "plan" | "endsAt" | "accessEndsAt">;
  createdAt: Date;
  /** When the next attempt may start. */
  dueAt: Date;
  /** After this time it would be of no use. */
  expiresAt: Date;
}

const emailSchema = recordSchema<EmailRecord>("emails", { userId: ObjectId });
emailSchema.index({ dueAt: 1 });
emailSchema.index({ userId: 1 });

export const subscriptionModels = (connection: Connection) => ({
  billingPeriods: modelOf(connection, billingPeriodSchema),
  emails: modelOf(connection, emailSchema),
});
