import { z } from "zod";
import { PAYMENT_DETAIL_LENGTH } from "./constants.ts";

const detail = z.string({ error: "Enter a text." }).max(PAYMENT_DETAIL_LENGTH, {
  error: `Use at most ${PAYMENT_DETAIL_LENGTH} characters.`,
});

/** How subscribers pay, in free text; a method without text is not offered. Answer of `GET /payment-details`. */
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

/** Body of `POST /admin/update-payment-details`; a field that is left out stays as it is. */
export const paymentDetailsUpdateSchema = paymentDetailsSchema
  .partial()
  .meta({ id: "PaymentDetailsUpdate" });
export type PaymentDetailsUpdate = z.infer<typeof paymentDetailsUpdateSchema>;
