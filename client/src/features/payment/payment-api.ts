import { type PaymentDetails, paymentDetailsSchema } from "@shared/contract/payment.ts";
import { api } from "../../lib/api/api.ts";

export const readPaymentDetails = (signal: AbortSignal): Promise<PaymentDetails> =>
  api({ path: "/payment-details", schema: paymentDetailsSchema, signal });
