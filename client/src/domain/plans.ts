import { PLANS, type Plan } from "@shared/contract/plans.ts";
import { queryOptions, useQuery } from "@tanstack/react-query";
import * as z from "zod/mini";
import { readPublic } from "../lib/public-api.ts";

/** In the light variant of zod: few bytes for visitors. */
const plansSchema = z.object({
  plans: z.array(
    z.object({
      id: z.string(),
      monthly_usd: z.number(),
      image_credits: z.number(),
      support: z.string(),
    }),
  ),
});

/** Of open pages, of which visitors' have no socket. */
const REFETCH_MS = 60_000;

export const plansQuery = queryOptions({
  queryKey: ["plans"],
  queryFn: ({ signal }) => readPublic({ path: "/plans", schema: plansSchema, signal }),
  refetchInterval: REFETCH_MS,
});

/** The plans as they are offered; until that is known, as they are without an administrator's changes. */
export function usePlans(): readonly Plan[] {
  const { data } = useQuery(plansQuery);
  return PLANS.map((plan) => {
    const terms = data?.plans.find(({ id }) => id === plan.id);
    if (!terms) return plan;
    const { monthly_usd: monthlyUsd, image_credits: imageCredits, support } = terms;
    return { ...plan, monthlyUsd, imageCredits, support };
  });
}
