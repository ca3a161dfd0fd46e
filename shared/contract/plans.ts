/** Plans on sale, cheapest first; prices are in USD per month, image credits are granted each month. */
export const PLANS = [
  { id: "starter", name: "Starter", monthlyUsd: 50, imageCredits: 50, support: "Standard support" },
  { id: "trader", name: "Trader", monthlyUsd: 100, imageCredits: 120, support: "Priority support" },
  { id: "pro", name: "Pro", monthlyUsd: 150, imageCredits: 200, support: "Priority support" },
  {
    id: "institutional",
    name: "Institutional",
    monthlyUsd: 200,
    imageCredits: 500,
    support: "Dedicated support",
  },
] as const;
export type Plan = (typeof PLANS)[number];

/** The plan that stands out among the others, and whose fee is asked of whoever has not chosen one. */
export const FEATURED_PLAN: Plan = PLANS[2];

/** What every plan includes. */
export const PLAN_FEATURES = [
  "Real-time signals",
  "All markets",
  "Unlimited signal requests",
  "Full history",
] as const;

/** The plan with this id; the featured one for any other text, or none. */
export const planById = (id: string | null): Plan =>
  PLANS.find((plan) => plan.id === id) ?? FEATURED_PLAN;
