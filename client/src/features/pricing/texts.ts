import type { Plan } from "@shared/contract/plans.ts";

export const pricingTexts = {
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
