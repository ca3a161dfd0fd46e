import { PLANS, type Plan } from "@shared/contract/plans.ts";
import type { ClientSession } from "mongoose";
import type { Database } from "../database/database.ts";

/** The plans as they are offered now, cheapest first in the product's own order. */
export async function readPlans(
  { plans }: Database,
  session: ClientSession | null = null,
): Promise<Plan[]> {
  const changed = await plans.find().session(session).lean();
  return PLANS.map((plan) => {
    const stored = changed.find(({ _id }) => _id === plan.id);
    if (!stored) return plan;
    const { monthlyUsd, imageCredits, support } = stored;
    return { ...plan, monthlyUsd, imageCredits, support };
  });
}
