import { z } from "zod";
import { reauthenticationSchema } from "./reauthentication.ts";
import { planIdSchema } from "./subscription.ts";

const MAX_MONTHLY_USD = 100_000;
const MAX_IMAGE_CREDITS = 100_000;
const MAX_SUPPORT_LENGTH = 60;

const wholeNumber = (min: number, max: number) => {
  const error = { error: `Use a whole number from ${min} to ${max}.` };
  return z.int(error).min(min, error).max(max, error);
};

/** What a plan costs and contains a month; US dollars. */
const planTermsSchema = z.object({
  id: planIdSchema,
  monthly_usd: wholeNumber(1, MAX_MONTHLY_USD),
  image_credits: wholeNumber(0, MAX_IMAGE_CREDITS),
  support: z
    .string({ error: "Enter a text." })
    .trim()
    .min(1, { error: "Enter a text." })
    .max(MAX_SUPPORT_LENGTH, { error: `Use at most ${MAX_SUPPORT_LENGTH} characters.` })
    .regex(/^\P{Cc}*$/u, { error: "Use one line." }),
});
export type PlanTerms = z.infer<typeof planTermsSchema>;

/** Cheapest first in the product's own order. */
export const offeredPlansSchema = z
  .object({ plans: z.array(planTermsSchema.extend({ name: z.string() })) })
  .meta({ id: "OfferedPlans" });
export type OfferedPlans = z.infer<typeof offeredPlansSchema>;

/** One plan. The caller confirms it with their own credentials. */
export const planUpdateSchema = planTermsSchema
  .omit({ id: true })
  .extend(reauthenticationSchema.shape)
  .meta({ id: "PlanUpdate" });
export type PlanUpdate = z.infer<typeof planUpdateSchema>;

export const planParamsSchema = z.object({ id: planIdSchema });
