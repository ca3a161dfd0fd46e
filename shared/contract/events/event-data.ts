import { z } from "zod";
import {
  adminPaymentProofSchema,
  meSchema,
  streamPositionsSchema,
  userCardSchema,
} from "../account.ts";
import { channelKindSchema } from "../channel-kinds/channel-kinds.ts";
import { BUDGET_PERCENTS, CHANNEL_DISABLED_REASONS } from "../constants.ts";
import { chartImageSchema } from "../files.ts";
import { paymentDetailsSchema } from "../payment.ts";
import { proofRejectionSchema } from "../proof-rejection.ts";
import { entryLeftSchema, outcomeSchema, signalResponseSchema } from "../signal.ts";
import { subscriptionSchema } from "../subscription.ts";

const signalRefSchema = signalResponseSchema.pick({
  signal_id: true,
  symbol: true,
  timeframe: true,
});
const emptySchema = z.object({});

export const accountReasonSchema = z.enum([
  "approved",
  "revoked",
  "credits-granted",
  "credit-spent",
  "credit-refunded",
  "image-access",
  "role-changed",
  "email-verified",
  "proof-submitted",
  "proof-rejected",
  "subscription-started",
  "subscription-renewed",
  "subscription-grace",
  "subscription-ended",
]);
export type AccountReason = z.infer<typeof accountReasonSchema>;

/** Actions of an administrator on jobs. */
export const jobActionSchema = z.enum(["requeue", "retry", "delete", "pause", "resume"]);
export type JobAction = z.infer<typeof jobActionSchema>;

const userEventSchemas = {
  "signal:queued": signalRefSchema,
  "signal:started": signalRefSchema,
  "signal:completed": signalResponseSchema,
  "signal:failed": signalResponseSchema,
  "signal:filled": z.object({
    signal_id: z.string(),
    price: z.number(),
    filled_at: z.iso.datetime(),
  }),
  "signal:outcome": z.object({
    signal_id: z.string(),
    outcome: outcomeSchema,
    resolved_at: z.iso.datetime(),
  }),
  "signal:entry-left": entryLeftSchema.extend({ signal_id: z.string() }),
  "account:updated": meSchema
    .pick({ approved: true, role: true, allow_image_upload: true, image_credits: true })
    .extend({
      reason: accountReasonSchema,
      /** With `proof-rejected`. */
      proof_rejection: proofRejectionSchema.optional(),
      /** The payment was verified on its blockchain, and no administrator has looked at it. */
      automatic: z.literal(true).optional(),
    }),
  "subscription:expiring": subscriptionSchema
    .pick({ plan: true, ends_at: true })
    .extend({ days_left: z.number().int().positive() }),
  "channel:disabled": z.object({
    channel_id: z.string(),
    kind: channelKindSchema,
    reason: z.enum(CHANNEL_DISABLED_REASONS),
  }),
  "channel:failing": z.object({ channel_id: z.string(), kind: channelKindSchema }),
  "channel-problems:seen": z.object({ until: z.iso.datetime() }),
  "proof:deleted": emptySchema,
  "history:cleared": emptySchema,
  "notifications:seen": streamPositionsSchema,
} as const;

const adminEventSchemas = {
  "user:registered": userCardSchema,
  "user:updated": userCardSchema,
  "user:deleted": z.object({ username: z.string() }),
  /** Stored events of earlier versions have no id. */
  "proof:submitted": adminPaymentProofSchema.partial({ id: true }).extend({ username: z.string() }),
  "chart-image:added": chartImageSchema,
  "chart-image:deleted": chartImageSchema,
  "payment-details:updated": paymentDetailsSchema,
  /** In US dollars, of the UTC day. */
  "budget:reached": z.object({
    percent: z.literal(BUDGET_PERCENTS),
    spent_usd: z.number().nonnegative(),
    budget_usd: z.number().positive(),
  }),
  /** `names` of the jobs, each once. */
  "queue:changed": z.object({
    action: jobActionSchema,
    jobs: z.number().int().positive(),
    names: z.string(),
  }),
} as const;

/** Data of every numbered event, by name. What else is known of an event: `event-table.ts`. */
export const eventSchemas = { ...userEventSchemas, ...adminEventSchemas } as const;
export type EventName = keyof typeof eventSchemas;
export type EventData<Name extends EventName> = z.infer<(typeof eventSchemas)[Name]>;
