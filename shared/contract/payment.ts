import { z } from "zod";
import { proofStateSchema } from "./account.ts";
import { MAX_PAYMENT_DETAIL_LENGTH } from "./constants.ts";

const detail = z.string({ error: "Enter a text." }).max(MAX_PAYMENT_DETAIL_LENGTH, {
  error: `Use at most ${MAX_PAYMENT_DETAIL_LENGTH} characters.`,
});

/** Free text. A method with an empty text is not offered. */
export const paymentDetailsSchema = z
  .object({
    bank_details_1: detail,
    bank_details_2: detail,
    bank_details_3: detail,
    paypal_details: detail,
    skrill_details: detail,
    wise_details: detail,
  })
  .meta({ id: "PaymentDetails" });
export type PaymentDetails = z.infer<typeof paymentDetailsSchema>;

export const PAYMENT_METHODS: Record<keyof PaymentDetails, string> = {
  bank_details_1: "EasyPesa",
  bank_details_2: "JazzCash",
  bank_details_3: "Bank Transfer",
  paypal_details: "PayPal",
  skrill_details: "Skrill",
  wise_details: "Wise",
};

/** With the addresses that receive USDT; absent if the settings have none. */
export const offeredPaymentsSchema = paymentDetailsSchema
  .extend({
    usdt: z.array(z.object({ network: z.string(), address: z.string() })).optional(),
  })
  .meta({ id: "OfferedPayments" });
export type OfferedPayments = z.infer<typeof offeredPaymentsSchema>;

const checkFields = {
  hash: z.string(),
  /** Name of the blockchain; absent if the settings have none. */
  network: z.string().optional(),
  /** Other proofs with the same hash, newest first. */
  used_by: z.array(
    z.object({
      username: z.string(),
      submitted_at: z.iso.datetime(),
      state: proofStateSchema,
    }),
  ),
};

/** What the blockchain says about the transaction of a proof. */
export const transactionCheckSchema = z
  .discriminatedUnion("status", [
    z.object({
      status: z.literal("found"),
      ...checkFields,
      succeeded: z.boolean(),
      sent_at: z.iso.datetime(),
      confirmations: z.int().min(1),
      /** What was paid to the seller, or else another transfer of a token; null if there is none. */
      transfer: z
        .object({
          /** Address of the token's contract. */
          token: z.string(),
          is_usdt: z.boolean(),
          /** In decimal; null for other tokens. */
          amount: z.string().nullable(),
          recipient: z.string(),
          is_recipient_ours: z.boolean(),
        })
        .nullable(),
    }),
    z.object({
      status: z.enum(["not-found", "unreachable", "not-configured"]),
      ...checkFields,
    }),
  ])
  .meta({ id: "TransactionCheck" });
export type TransactionCheck = z.infer<typeof transactionCheckSchema>;
