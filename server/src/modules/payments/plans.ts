import type { OfferedPlans, PlanTerms } from "@shared/contract/plan-terms.ts";
import { type PlanId, planById } from "@shared/contract/plans.ts";
import { readPlans } from "@shared/domain/plans.ts";
import { ADMINS_STREAM } from "@shared/outbox/streams.ts";
import type { AuthenticatedSession } from "../../http/sessions.ts";
import type { ServerDeps } from "../../server-deps.ts";
import { commitAsAdmin } from "../admin/security-log.ts";

export async function listPlans({ database }: ServerDeps): Promise<OfferedPlans> {
  const plans = await readPlans(database);
  return {
    plans: plans.map(({ id, name, monthlyUsd, imageCredits, support }) => ({
      id,
      name,
      monthly_usd: monthlyUsd,
      image_credits: imageCredits,
      support,
    })),
  };
}

/** Changes what a plan costs and contains, for payments that are accepted from now on. */
export function updatePlan(
  deps: ServerDeps,
  admin: AuthenticatedSession,
  id: PlanId,
  { monthly_usd: monthlyUsd, image_credits: imageCredits, support }: Omit<PlanTerms, "id">,
): Promise<void> {
  const { database } = deps;
  return commitAsAdmin(deps, admin, ADMINS_STREAM, async (uow) => {
    const { session, at } = uow;
    const before = planById(id, await readPlans(database, session));
    const after = { monthlyUsd, imageCredits, support };
    const changes = [
      { field: "price", before: before.monthlyUsd, after: monthlyUsd },
      { field: "image credits", before: before.imageCredits, after: imageCredits },
      { field: "support", before: before.support, after: support },
    ].filter((change) => change.before !== change.after);
    if (changes.length === 0) return;
    await database.plans.updateOne(
      { _id: id },
      { $set: { ...after, updatedAt: at } },
      { session, upsert: true },
    );
    for (const change of changes) {
      uow.log({ type: "plan:changed", user: null, details: { plan: id, ...change } });
    }
  });
}
