/** Plans, cheapest first; USD and image credits per month. */
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
export type PlanId = Plan["id"];

export const FEATURED_PLAN: Plan = PLANS[2];

/** The plan with an id. Without one, or with an unknown one, the featured plan. */
export const planById = (id: string | null): Plan =>
  PLANS.find((plan) => plan.id === id) ?? FEATURED_PLAN;

/**
 * The time `months` calendar months after `anchor`, in UTC. A month that is too short has it on its last day: 31 January,
 * 28 February, 31 March.
 */
export function addMonthsUtc(anchor: Date, months: number): Date {
  const shifted = new Date(anchor);
  shifted.setUTCMonth(anchor.getUTCMonth() + months);
  // The day did not exist, so that it became one of the next month.
  if (shifted.getUTCDate() !== anchor.getUTCDate()) shifted.setUTCDate(0);
  return shifted;
}
