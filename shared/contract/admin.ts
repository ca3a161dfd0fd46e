import { z } from "zod";
import { roleSchema, userCardSchema } from "./account.ts";
import { reauthenticationSchema } from "./account-requests.ts";
import { MESSAGES } from "./messages.ts";
import { analystNameSchema, marketDataSourceSchema } from "./status.ts";

export const userListSchema = z.object({ users: z.array(userCardSchema) }).meta({ id: "UserList" });
export type UserList = z.infer<typeof userListSchema>;

/** A sentence that confirms an action. */
export const actionDoneSchema = z.object({ detail: z.string() }).meta({ id: "ActionDone" });
export type ActionDone = z.infer<typeof actionDoneSchema>;

const trueOrFalse = { error: "Choose true or false." };

/** JSON may use a boolean. */
export const roleChangeSchema = z
  .object({ role: roleSchema })
  .extend(reauthenticationSchema.shape)
  .meta({ id: "RoleChange" });
export type RoleChange = z.infer<typeof roleChangeSchema>;

export const imageAccessSchema = z
  .object({
    allow: z.union(
      [
        z.boolean(),
        z
          .stringbool({ truthy: ["true"], falsy: ["false"], ...trueOrFalse })
          .meta({ enum: ["true", "false"] }),
      ],
      trueOrFalse,
    ),
  })
  .meta({ id: "ImageAccess" });

const invalidNumber = { error: MESSAGES.invalidNumber };

/** Digits with an optional minus sign. JSON may use a number. */
export const creditGrantSchema = z
  .object(
    {
      credits: z
        .union([z.int(invalidNumber), z.string().regex(/^-?\d+$/, invalidNumber)], invalidNumber)
        .transform(Number)
        .pipe(z.int(invalidNumber)),
    },
    invalidNumber,
  )
  .meta({ id: "CreditGrant" });

export const queueTicketSchema = z
  .object({ ticket: z.string(), expires_at: z.iso.datetime() })
  .meta({ id: "QueueTicket" });

const countSchema = z.number().int().nonnegative();

const usageFields = {
  signals: countSchema,
  prompt_tokens: countSchema,
  completion_tokens: countSchema,
  /** Of the signals with a known cost; null without any. */
  cost_usd: z.number().nonnegative().nullable(),
  /** Signals of models without a price. */
  unpriced_signals: countSchema,
};

const modelUsageSchema = z.object({ model: z.string(), ...usageFields });
export type ModelUsage = z.infer<typeof modelUsageSchema>;

/** Days in UTC, up to now. */
const usagePeriodSchema = z.object({
  since: z.iso.datetime(),
  ...usageFields,
  /** Most used first. */
  by_model: z.array(modelUsageSchema),
});
export type UsagePeriod = z.infer<typeof usagePeriodSchema>;

/** Daily AI budget and the amount spent since midnight UTC, in US dollars. */
const budgetUsageSchema = z.object({
  spent_usd: z.number().nonnegative(),
  budget_usd: z.number().positive(),
});
export type BudgetUsage = z.infer<typeof budgetUsageSchema>;

/** Each period includes the previous one. */
export const usageSchema = z
  .object({
    budget: budgetUsageSchema.nullable(),
    /** AI analyses that users' requests started today. The users with the most, and the limit for each. */
    analyses_today: z.object({
      limit: z.number().int().positive().nullable(),
      users: z.array(z.object({ username: z.string(), analyses: countSchema })),
    }),
    today: usagePeriodSchema,
    last_7_days: usagePeriodSchema,
    last_30_days: usagePeriodSchema,
  })
  .meta({ id: "Usage" });
export type Usage = z.infer<typeof usageSchema>;

/**
 * State of a market data provider. `failing`: its last request failed. `resting`: not called for any market until a probe
 * succeeds, because its connection failed several times or most of its markets fail.
 */
const providerStateSchema = z.enum(["ok", "failing", "resting"]);
export type ProviderState = z.infer<typeof providerStateSchema>;

/** `unreachable`: no response; `unknown-symbol`: not listed by the provider; others: an unusable response. */
const providerFailureSchema = z.enum([
  "unreachable",
  "unknown-symbol",
  "rate-limited",
  "refused",
  "nonsense",
  "timeout",
]);
export type ProviderFailure = z.infer<typeof providerFailureSchema>;

/** A provider as one worker sees it; `ok` without a last success before its first request. */
const providerReportSchema = z.object({
  provider: z.string(),
  state: providerStateSchema,
  last_success_at: z.iso.datetime().nullable(),
  last_failure: z.object({ failure: providerFailureSchema, at: z.iso.datetime() }).nullable(),
});
export type ProviderReport = z.infer<typeof providerReportSchema>;

/** A worker that was seen in the last 30 s. */
const workerReportSchema = z.object({
  id: z.string(),
  started_at: z.iso.datetime(),
  seen_at: z.iso.datetime(),
  /** Analyses that it runs at once. */
  concurrency: z.number().int(),
  market_data: marketDataSourceSchema,
  analyst: analystNameSchema,
  /** Live providers in order of use; empty with replayed candles. */
  providers: z.array(providerReportSchema),
});
export type WorkerReport = z.infer<typeof workerReportSchema>;

export const systemHealthSchema = z
  .object({
    checked_at: z.iso.datetime(),
    queue: z.object({
      /** Signals that are not started, and signals that are. */
      waiting: z.number().int(),
      running: z.number().int(),
      /** 0 without a waiting signal. */
      oldest_waiting_seconds: z.number().nonnegative(),
    }),
    workers: z.array(workerReportSchema),
    /** `event_feed`: committed events reach this server. */
    server: z.object({ event_feed: z.enum(["running", "interrupted"]), version: z.string() }),
  })
  .meta({ id: "SystemHealth" });
export type SystemHealth = z.infer<typeof systemHealthSchema>;
