import { MESSAGES } from "@shared/contract/messages.ts";
import type { PaymentDetails } from "@shared/contract/payment.ts";
import type { Plan } from "@shared/contract/plans.ts";

export const pricingMessages = {
  title: "Pricing",
  lead: "One monthly subscription, every market and every signal. Plans differ in image credits and support.",
  description:
    "Plans for AI trading signals from $50 a month: real-time signals, all markets, unlimited requests and full history in each.",
  perMonth: "per month",
  featured: "Recommended",
  credits: (count: number) => `${count} image credits`,
  choose: (plan: Plan) => `Choose ${plan.name}`,
  creditsNote:
    "Each chart image analysis uses one image credit. Signals without an image use none.",
  stepsTitle: "How to subscribe",
} as const;

export const pricingSteps = [
  {
    title: "Choose a plan and pay",
    text: "Choose the plan that fits you and pay with a method on the payment page.",
  },
  {
    title: "Send your payment proof",
    text: "Upload a screenshot or photo of the payment on your dashboard.",
  },
  {
    title: "Start trading on signals",
    text: "An administrator reviews the proof. You can use the bot as soon as you are approved.",
  },
] as const;

export const paymentMessages = {
  title: "Payment",
  lead: "Pay your plan's fee with one of the methods below, then submit your proof of payment.",
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
  emptyTitle: "No payment methods yet",
  empty: "Contact support to find out how to pay.",
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

export const dashboardMessages = {
  title: "Dashboard",
  loading: "Loading your account",
  adminTitle: "Administration",
  admin: "Users, payment settings, uploaded images and the audit trail.",
  openAdmin: "Open the admin panel",
  approvedTitle: "Account Approved",
  approved: "You can now use the signal bot and view your history.",
  openBot: "Open the signal bot",
  openHistory: "View signal history",
  pendingTitle: "Approval Pending",
  pending: "Your account is awaiting review. This page updates automatically.",
  toPricing: "See plans and pricing",
  panelTitle: "User Panel",
  panel: "Manage your password, email and notifications.",
  openPanel: "Account settings",
  accountTitle: "Account",
  username: "Username",
  email: "Email",
  credits: "Image credits",
  unverifiedTitle: "Please verify your email",
  unverified: "Open the link in the email we sent when you registered.",
  verified: "Verified",
  notVerified: "Not verified",
} as const;

export const proofMessages = {
  title: "Payment proof",
  lead: "Already paid? Upload a screenshot or photo of the payment and enter the sender's name.",
  senderName: "Sender name",
  senderHint: "The name on the account you paid from.",
  picture: "Proof image",
  submit: "Submit proof",
  submitting: "Uploading...",
  incomplete: MESSAGES.proofIncomplete,
  submitted: MESSAGES.proofSubmitted,
  failedTitle: "Your proof was not submitted",
  failed: "The upload failed. Please try again.",
  removedTitle: "Your proof was removed",
  removed: "An administrator deleted your proof. Please submit a new one.",
  sentTitle: "Proof under review",
  sentBy: "Sent by",
  sentAt: "Submitted",
  replace: "Replace proof",
  keep: "Cancel",
  pictureOf: (sender: string) => `Payment proof of ${sender}`,
} as const;
