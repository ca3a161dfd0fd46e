import { MESSAGES } from "@shared/contract/messages.ts";
import type { PaymentDetails } from "@shared/contract/payment.ts";
import type { Plan } from "./plans.ts";

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
    "One image credit pays for the analysis of one chart image. Signals without an image cost no credits.",
  stepsTitle: "How to subscribe",
} as const;

export const pricingSteps = [
  {
    title: "Choose a plan and pay",
    text: "Pick what fits you and pay by one of the methods on the payment page.",
  },
  {
    title: "Send your payment proof",
    text: "Upload a screenshot or photo of the payment on your dashboard.",
  },
  {
    title: "Start trading on signals",
    text: "An administrator reviews the proof. The bot opens the moment you are approved.",
  },
] as const;

export const paymentMessages = {
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

export const dashboardMessages = {
  title: "Dashboard",
  loading: "Loading your account",
  adminTitle: "Administration",
  admin: "Users, payment settings, uploaded images and the audit trail.",
  openAdmin: "Open the admin panel",
  approvedTitle: "Account Approved",
  approved: "The signal bot and your signal history are open to you.",
  openBot: "Open the signal bot",
  openHistory: "View signal history",
  pendingTitle: "Approval Pending",
  pending:
    "An administrator reviews your account before the signal bot opens. This page changes by itself as soon as that is done.",
  toPricing: "See plans and pricing",
  panelTitle: "User Panel",
  panel: "Change your password and keep your account safe.",
  openPanel: "Account settings",
  accountTitle: "Account",
  username: "Username",
  email: "Email",
  credits: "Image credits",
  unverifiedTitle: "Please verify your e-mail",
  unverified: "Open the link in the message we sent you when you registered.",
  verified: "Verified",
  notVerified: "Not verified",
} as const;

export const proofMessages = {
  title: "Payment proof",
  lead: "Paid already? Send a screenshot or photo of the payment, and the name it was sent from.",
  senderName: "Sender name",
  senderHint: "The name on the account that the money came from.",
  picture: "Proof image",
  submit: "Submit proof",
  submitting: "Uploading...",
  incomplete: MESSAGES.proofIncomplete,
  submitted: MESSAGES.proofSubmitted,
  failedTitle: "Your proof was not sent",
  failed: "The upload failed. Please try again.",
  removedTitle: "Your proof was removed",
  removed: "An administrator has deleted the proof you sent. Please send a new one.",
  sentTitle: "Proof under review",
  sentBy: "Sent by",
  sentAt: "Submitted",
  replace: "Send another proof",
  keep: "Keep the proof already sent",
  pictureOf: (sender: string) => `Payment proof of ${sender}`,
} as const;
