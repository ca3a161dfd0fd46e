import { z } from "zod";
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

/** With the addresses that receive USDT; absent if the settings have none. */
export const offeredPaymentsSchema = paymentDetailsSchema
  .extend({
    usdt: z.array(z.object({ network: z.string(), address: z.string() })).optional(),
  })
  .meta({ id: "OfferedPayments" });
export type OfferedPayments = z.infer<typeof offeredPaymentsSchema>;
