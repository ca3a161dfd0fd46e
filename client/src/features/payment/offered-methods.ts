import { type PaymentDetails, paymentDetailsSchema } from "@shared/contract/payment.ts";
import { methodLabels } from "./texts.ts";

export interface PaymentMethod {
  key: string;
  label: string;
  /** Free text; line breaks count. */
  details: string;
}

/** The methods that somebody can pay by, in the product's order: those with a text that is not blank. */
export const offeredMethods = (details: PaymentDetails): PaymentMethod[] =>
  paymentDetailsSchema
    .keyof()
    .options.map((key) => ({ key, label: methodLabels[key], details: details[key].trim() }))
    .filter((method) => method.details !== "");
