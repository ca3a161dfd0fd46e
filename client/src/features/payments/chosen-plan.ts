import type { PlanId } from "@shared/contract/plans.ts";
import { planIdSchema } from "@shared/contract/subscription.ts";
import { browserStorage } from "../../lib/session.ts";

/** Fragment of the dashboard's address that opens the form for a payment proof. */
export const PROOF_ANCHOR = "payment-proof";

const KEY = "chosen-plan";
const storage = browserStorage();

/** The plan chosen on the payment page. The browser keeps it, because the proof is sent later, after signing in. */
export const readChosenPlan = (): PlanId | undefined =>
  planIdSchema.safeParse(storage.getItem(KEY)).data;

export function choosePlan(id: string | null): void {
  const plan = planIdSchema.safeParse(id).data;
  if (plan) storage.setItem(KEY, plan);
}

/** Once it is sent with a proof. */
export const forgetChosenPlan = (): void => storage.removeItem(KEY);
