import type { PaymentDetails } from "@shared/contract/payment.ts";
import type { Plan } from "@shared/contract/plans.ts";

export const paymentTexts = {
  title: "Payment",
  lead: "Pay the fee of your plan by one of the methods below, then send us the proof.",
  description: "How to pay for your AI Trading Bot subscription.",
  plan: (plan: Plan) => `${plan.name} plan`,
  fee: "Subscription fee",
  perMonth: "per month",
  credits: (count: number) => `${count} image credits included`,
  otherPlan: "Choose another plan",
  methodsTitle: "Payment methods",
  loading: "Loading the payment methods",
  failed: "Failed to load payment details. Please contact support.",
  tryAgain: "Try again",
  contact: "Contact support",
  emptyTitle: "No payment method is set up yet",
  empty: "Please contact support to learn how you can pay.",
  important: "Important",
  proof:
    "After paying, submit your payment proof on the dashboard: the sender's name and a screenshot or photo of the payment. An administrator reviews it and approves your account.",
  toDashboard: "Submit proof on the dashboard",
} as const;

/** Payment methods in the order shown, by their field. */
export const methodLabels: Record<keyof PaymentDetails, string> = {
  bank_details_1: "EasyPesa",
  bank_details_2: "JazzCash",
  bank_details_3: "Bank Transfer",
  paypal_details: "PayPal",
  skrill_details: "Skrill",
  wise_details: "Wise",
};
