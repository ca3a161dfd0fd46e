import type { PaymentDetails } from "@shared/contract/payment.ts";

export const PAYMENT_METHODS: Record<keyof PaymentDetails, string> = {
  bank_details_1: "EasyPesa",
  bank_details_2: "JazzCash",
  bank_details_3: "Bank Transfer",
  paypal_details: "PayPal",
  skrill_details: "Skrill",
  wise_details: "Wise",
};
