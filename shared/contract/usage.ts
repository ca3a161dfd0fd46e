import { z } from "zod";

const countSchema = z.number().int().nonnegative();

/** Signals, their tokens and what they cost in US dollars. */
const usageFields = {
  signals: countSchema,
  prompt_tokens: countSchema,
  completion_tokens: countSchema,
  /** Of the signals whose cost is known; null where that is none of them. */
  cost_usd: z.number().nonnegative().nullable(),
  /** Signals whose cost is not known, as the model's price was not set. */
  unpriced_signals: countSchema,
};

/** The sums of one model. */
export const modelUsageSchema = z.object({ model: z.string(), ...usageFields });
export type ModelUsage = z.infer<typeof modelUsageSchema>;

/** The sums of some days that end now; days begin at midnight UTC. */
export const usagePeriodSchema = z.object({
  since: z.iso.datetime(),
  ...usageFields,
  /** The most used first. */
  by_model: z.array(modelUsageSchema),
});
export type UsagePeriod = z.infer<typeof usagePeriodSchema>;

/** Daily AI budget, and what has been spent of it since midnight UTC, in US dollars. */
export const budgetUsageSchema = z.object({
  spent_usd: z.number().nonnegative(),
  budget_usd: z.number().positive(),
});
export type BudgetUsage = z.infer<typeof budgetUsageSchema>;

/** Answer of `GET /admin/usage`; each period contains the one before. */
export const usageSchema = z.object({
  /** Null if no budget is set. */
  budget: budgetUsageSchema.nullable(),
  today: usagePeriodSchema,
  last_7_days: usagePeriodSchema,
  last_30_days: usagePeriodSchema,
});
export type Usage = z.infer<typeof usageSchema>;
