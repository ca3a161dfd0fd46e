import type { PaymentDetails } from "@shared/contract/payment.ts";
import { Schema } from "mongoose";

/** How subscribers pay; one document, `_id` is `payment-details`. */
export interface PaymentDetailsRecord extends PaymentDetails {
  _id: string;
  updatedAt: Date;
}

const text = { type: String, default: "" };

export const paymentDetailsSchema = new Schema<PaymentDetailsRecord>(
  {
    _id: { type: String, required: true },
    bank_details_1: text,
    bank_details_2: text,
    bank_details_3: text,
    paypal_details: text,
    skrill_details: text,
    wise_details: text,
    updatedAt: { type: Date, required: true },
  },
  { versionKey: false, collection: "payment_details" },
);
