import { z } from "zod";
import { PAYMENT_DETAIL_LENGTH } from "./constants.ts";

const detail = z.string({ error: "Enter a text." }).max(PAYMENT_DETAIL_LENGTH, {
  error: `Use at most ${PAYMENT_DETAIL_LENGTH} characters.`,
});

/** Payment methods as free text; one without text is not offered. */
export const paymentDetailsSchema = z.object({
  bank_details_1: detail,
  bank_details_2: detail,
  bank_details_3: detail,
  paypal_details: detail,
  skrill_details: detail,
  wise_details: detail,
});
export type PaymentDetails = z.infer<typeof paymentDetailsSchema>;

/** Body of `POST /admin/update-payment-details`; missing fields stay unchanged. */
export const paymentDetailsUpdateSchema = paymentDetailsSchema.partial();
export type PaymentDetailsUpdate = z.infer<typeof paymentDetailsUpdateSchema>;
