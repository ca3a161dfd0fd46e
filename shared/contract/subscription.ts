import { z } from "zod";
import { pageQuerySchema } from "./pagination.ts";
import { PLANS } from "./plans.ts";

/** Months that can be paid for at once. */
export const SUBSCRIPTION_MONTHS = { min: 1, max: 24, default: 1 } as const;

/** Days before the end at which a reminder is sent, first to last. */
export const REMINDER_DAYS = [7, 3, 1] as const;

/** A subscription is `ending` for this long before its end. */
export const ENDING_DAYS = 7;

export const planIdSchema = z.enum(
  PLANS.map(({ id }) => id),
  { error: "Choose one of the plans." },
);

const subscriptionStatusSchema = z.enum(["active", "grace", "ended"]);
export type SubscriptionStatus = z.infer<typeof subscriptionStatusSchema>;

/**
 * `plan` is the one that ends at `ends_at`. After a renewal with another plan, the credits of the months before are still
 * those of the earlier plan.
 */
export const subscriptionSchema = z
  .object({
    plan: planIdSchema,
    status: subscriptionStatusSchema,
    started_at: z.iso.datetime(),
    ends_at: z.iso.datetime(),
    /** End of access. Null except during the grace period. */
    grace_until: z.iso.datetime().nullable(),
  })
  .meta({ id: "Subscription" });
export type Subscription = z.infer<typeof subscriptionSchema>;

const MAX_PROOF_ID_LENGTH = 64;

const { min, max } = SUBSCRIPTION_MONTHS;
const invalidMonths = { error: `Use ${min} to ${max} months.` };

/** Digits. JSON may use a number. */
const monthsSchema = z
  .union([z.int(invalidMonths), z.string().regex(/^\d{1,2}$/, invalidMonths)], invalidMonths)
  .transform(Number)
  .pipe(z.int(invalidMonths).min(min, invalidMonths).max(max, invalidMonths));

/** Empty in a form is the same as null. */
const seenProofSchema = z
  .string()
  .max(MAX_PROOF_ID_LENGTH)
  .nullable()
  .transform((id) => id || null)
  .optional()
  .meta({
    description:
      "The `id` of the payment proof that was looked at, null if there was none. If another one was submitted since, nothing changes: 409 `proof-changed`.",
  });

/** Without `plan`, that of the proof which awaits review. */
export const approvalSchema = z
  .object({
    plan: planIdSchema.optional(),
    months: monthsSchema.optional(),
    proof_id: seenProofSchema,
  })
  .meta({ id: "Approval" });
export type Approval = z.infer<typeof approvalSchema>;

export const renewalSchema = approvalSchema
  .extend({
    /** If the subscription has another end by now, somebody else has renewed it, and nothing changes. */
    ends_at: z.iso.datetime({ error: "Use the ends_at of the subscription." }).optional(),
  })
  .meta({ id: "Renewal" });
export type Renewal = z.infer<typeof renewalSchema>;

/** A payment: some months of one plan. */
export const billingPeriodSchema = z.object({
  plan: planIdSchema,
  months: z.number().int().positive(),
  price_usd: z.number().nonnegative(),
  started_at: z.iso.datetime(),
  ends_at: z.iso.datetime(),
  /** When an administrator ended it early. */
  revoked_at: z.iso.datetime().nullable(),
  /** Null without a proof, or if it is deleted. */
  proof: z
    .object({ sender_name: z.string(), submitted_at: z.iso.datetime(), url: z.string() })
    .nullable(),
});
export type BillingPeriod = z.infer<typeof billingPeriodSchema>;

/** The caller's subscription. */
export const ownSubscriptionSchema = z
  .object({
    subscription: subscriptionSchema.nullable(),
    /** The next image credits; null if no further month is paid for. */
    next_credits: z
      .object({ at: z.iso.datetime(), credits: z.number().int().positive() })
      .nullable(),
    /** Newest first. */
    periods: z.array(billingPeriodSchema),
  })
  .meta({ id: "OwnSubscription" });
export type OwnSubscription = z.infer<typeof ownSubscriptionSchema>;

const countSchema = z.number().int().nonnegative();

export const subscriptionSummarySchema = z
  .object({
    active: countSchema,
    grace: countSchema,
    /** In the last 30 days, including revoked ones. */
    ended_30_days: countSchema,
    /** Of the active ones. */
    ended: countSchema,
    ending_7_days: countSchema,
    /** Of the active ones. */
    monthly_revenue_usd: z.number().nonnegative(),
    /** Compared with 30 days ago. */
    monthly_revenue_change_usd: z.number(),
    /** Active ones. */
    by_plan: z.record(planIdSchema, countSchema),
    proofs_waiting: countSchema,
    /** Half of the proofs that await review were submitted before it; null without any. */
    median_proof_submitted_at: z.iso.datetime().nullable(),
  })
  .meta({ id: "SubscriptionSummary" });
export type SubscriptionSummary = z.infer<typeof subscriptionSummarySchema>;

const paymentTimeSchema = z.iso
  .datetime({ error: "Use a time such as 2026-11-23T00:00:00Z." })
  .optional();

/** Which payments are listed, counted and exported. */
export const paymentFilterSchema = z.object({
  search: z.string().trim().max(100).optional().meta({
    description: "A part of the username, the email address or the sender name",
  }),
  plan: planIdSchema.optional(),
  proof: z.enum(["with", "without"]).optional().meta({
    description: "Whether the payment was accepted by a proof",
  }),
  from: paymentTimeSchema.meta({ description: "Accepted from this time on" }),
  to: paymentTimeSchema.meta({ description: "Accepted before this time" }),
});
export type PaymentFilter = z.infer<typeof paymentFilterSchema>;

export const paymentListQuerySchema = pageQuerySchema({ default: 50, max: 200 }).extend(
  paymentFilterSchema.shape,
);
export type PaymentListQuery = z.infer<typeof paymentListQuerySchema>;

/** A payment of a user, accepted `by` an administrator. */
const listedPaymentSchema = billingPeriodSchema.extend({
  id: z.string(),
  username: z.string(),
  accepted_at: z.iso.datetime(),
  by: z.string(),
});
export type ListedPayment = z.infer<typeof listedPaymentSchema>;

/** Newest first. `total` and `months` are of all that the filter selects. */
export const paymentListSchema = z
  .object({
    payments: z.array(listedPaymentSchema),
    next_cursor: z.string().nullable(),
    total: countSchema,
    /** In UTC, such as `2026-11`, newest first. */
    months: z.array(
      z.object({
        month: z.string(),
        payments: countSchema,
        revenue_usd: z.number().nonnegative(),
      }),
    ),
  })
  .meta({ id: "PaymentList" });
export type PaymentList = z.infer<typeof paymentListSchema>;
