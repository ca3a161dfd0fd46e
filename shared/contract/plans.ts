/** A plan; US dollars and image credits per month. */
export interface Plan {
  id: PlanId;
  name: string;
  monthlyUsd: number;
  imageCredits: number;
  /** What the subscriber reads about the support. */
  support: string;
}

/** The plans, cheapest first, as long as no administrator has changed what they cost and contain. */
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
export type PlanId = (typeof PLANS)[number]["id"];

const FEATURED = PLANS[2];
export const FEATURED_PLAN_ID: PlanId = FEATURED.id;

/**
 * The plan with an id. Without one, or with an unknown one, the featured plan.
 * @param plans as they are offered; where they are not given, only name and id are of use
 */
export const planById = (id: string | null, plans: readonly Plan[] = PLANS): Plan =>
  plans.find((plan) => plan.id === id) ??
  plans.find((plan) => plan.id === FEATURED_PLAN_ID) ??
  FEATURED;

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
