import { z } from "zod";
import { proofRejectionSchema } from "./proof-rejection.ts";
import { planIdSchema, subscriptionSchema } from "./subscription.ts";

export const roleSchema = z.enum(["user", "admin"]);
export type Role = z.infer<typeof roleSchema>;

export const sessionSchema = z
  .object({
    token: z.string(),
    approved: z.boolean(),
    role: roleSchema,
    username: z.string(),
  })
  .meta({ id: "Session" });
export type Session = z.infer<typeof sessionSchema>;

/** Why an administrator has to look at a payment that names a transaction. */
export const PAYMENT_PROBLEMS = [
  "not-found",
  "unreachable",
  "failed",
  "wrong-token",
  "wrong-recipient",
  "too-little",
  "used",
  "undone",
] as const;

/** How far the check of a proof's transaction is: `manual` is left to an administrator. */
export const verificationSchema = z.object({
  state: z.enum(["waiting", "confirming", "approved", "manual"]),
  confirmations: z.number().int().nonnegative(),
  needed: z.number().int().positive(),
  problem: z.enum(PAYMENT_PROBLEMS).optional(),
});
export type Verification = z.infer<typeof verificationSchema>;

const paymentProofSchema = z.object({
  id: z.string(),
  sender_name: z.string(),
  filename: z.string(),
  url: z.string(),
  submitted_at: z.iso.datetime(),
  /** The plan that was paid for, if the proof names one. */
  plan: planIdSchema.optional(),
  transaction_hash: z.string().optional(),
  /** Set if it was submitted during a subscription or its grace period. */
  renewal: z.literal(true).optional(),
  /** When it was accepted or rejected; absent while the proof awaits review. */
  reviewed_at: z.iso.datetime().optional(),
  /** Set if it was rejected. */
  rejection: proofRejectionSchema.optional(),
  /** Set if its transaction is, or was, checked for an automatic approval. */
  verification: verificationSchema.optional(),
});
export type PaymentProof = z.infer<typeof paymentProofSchema>;

/** Where the image of an earlier proof is: stored, or why not. */
export const proofStateSchema = z.enum(["stored", "replaced", "deleted", "user-deleted"]);
export type ProofState = z.infer<typeof proofStateSchema>;

/** `duplicate_of` is the user who submitted the same image earlier, who may be the same user. */
export const adminPaymentProofSchema = paymentProofSchema.extend({
  duplicate_of: z.string().optional(),
  earlier_proof: z
    .object({
      submitted_at: z.iso.datetime(),
      state: proofStateSchema,
      /** Absent unless the image is stored. */
      url: z.string().optional(),
    })
    .optional(),
});
export type AdminPaymentProof = z.infer<typeof adminPaymentProofSchema>;

/** Last sequence number per stream that the user may read; used as `since`. */
export const streamPositionsSchema = z.object({
  user: z.number().int().nonnegative(),
  admins: z.number().int().nonnegative().optional(),
});
export type StreamPositions = z.infer<typeof streamPositionsSchema>;

const profileFields = {
  username: z.string(),
  email: z.string(),
  email_verified: z.boolean(),
  role: roleSchema,
  approved: z.boolean(),
  allow_image_upload: z.boolean(),
  image_credits: z.number().int(),
  subscription: subscriptionSchema.nullable(),
};

/** `stream_positions` is read before the rest, so that no event is missed. */
export const meSchema = z
  .object({
    ...profileFields,
    payment_proof: paymentProofSchema.nullable(),
    two_factor: z.object({
      enabled: z.boolean(),
      recovery_codes_left: z.number().int().nonnegative(),
    }),
    stream_positions: streamPositionsSchema,
  })
  .meta({ id: "Me" });
export type Me = z.infer<typeof meSchema>;

/** A user as administrators see them. */
export const userCardSchema = z
  .object({
    ...profileFields,
    payment_proof: adminPaymentProofSchema.nullable(),
    created_at: z.iso.datetime(),
  })
  .meta({ id: "UserCard" });
export type UserCard = z.infer<typeof userCardSchema>;
