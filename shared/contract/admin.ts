import { z } from "zod";
import { userCardSchema } from "./account.ts";
import { MESSAGES } from "./messages.ts";
import { analystNameSchema, marketDataSourceSchema } from "./status.ts";

/** Answer of `GET /admin/list-users`, newest registration first. */
export const userListSchema = z.object({ users: z.array(userCardSchema) });
export type UserList = z.infer<typeof userListSchema>;

/** Response of the admin actions. */
export const actionDoneSchema = z.object({ detail: z.string() });
export type ActionDone = z.infer<typeof actionDoneSchema>;

const trueOrFalse = { error: "Choose true or false." };

/** Form of `POST /admin/set-image-access/{username}`; JSON may say it with a boolean. */
export const imageAccessSchema = z.object({
  allow: z.union(
    [
      z.boolean(),
      z
        .stringbool({ truthy: ["true"], falsy: ["false"], ...trueOrFalse })
        .meta({ enum: ["true", "false"] }),
    ],
    trueOrFalse,
  ),
});

const invalidNumber = { error: MESSAGES.invalidNumber };

/** Form of `POST /admin/grant-image-credits/{username}`: digits with an optional minus sign; JSON may use a number. */
export const creditGrantSchema = z.object(
  {
    credits: z
      .union([z.int(invalidNumber), z.string().regex(/^-?\d+$/, invalidNumber)], invalidNumber)
      .transform(Number)
      .pipe(z.int(invalidNumber)),
  },
  invalidNumber,
);

/** Answer of `POST /admin/queue/ticket`: opens `/admin/queue/?ticket=` once, within a minute. */
export const queueTicketSchema = z.object({ ticket: z.string(), expires_at: z.iso.datetime() });
export type QueueTicket = z.infer<typeof queueTicketSchema>;

/** An action of an administrator; `action` is the name of its event. */
export const auditEntrySchema = z.object({
  id: z.string(),
  actor: z.string(),
  action: z.string(),
  subject: z.string().nullable(),
  details: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
  at: z.iso.datetime(),
});
export type AuditEntry = z.infer<typeof auditEntrySchema>;

/** Answer of `GET /admin/audit`, newest first. */
export const auditPageSchema = z.object({
  entries: z.array(auditEntrySchema),
  next_cursor: z.string().nullable(),
});
export type AuditPage = z.infer<typeof auditPageSchema>;

const countSchema = z.number().int().nonnegative();

/** Signals, tokens and cost in US dollars. */
const usageFields = {
  signals: countSchema,
  prompt_tokens: countSchema,
  completion_tokens: countSchema,
  /** Of the signals with a known cost; null if there are none. */
  cost_usd: z.number().nonnegative().nullable(),
  /** Signals of a model without a price. */
  unpriced_signals: countSchema,
};

const modelUsageSchema = z.object({ model: z.string(), ...usageFields });
export type ModelUsage = z.infer<typeof modelUsageSchema>;

/** Totals since a day; days start at midnight UTC. */
const usagePeriodSchema = z.object({
  since: z.iso.datetime(),
  ...usageFields,
  /** The most used first. */
  by_model: z.array(modelUsageSchema),
});
export type UsagePeriod = z.infer<typeof usagePeriodSchema>;

/** Daily AI budget, and its part spent since midnight UTC, in US dollars. */
const budgetUsageSchema = z.object({
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

/** `failing`: the last request failed. `resting`: the circuit breaker is open for all markets until a call succeeds. */
const providerStateSchema = z.enum(["ok", "failing", "resting"]);
export type ProviderState = z.infer<typeof providerStateSchema>;

/** `unreachable`: no response; `unknown-symbol`: not listed there; the others: no usable response. */
const providerFailureSchema = z.enum([
  "unreachable",
  "unknown-symbol",
  "rate-limited",
  "refused",
  "nonsense",
  "timeout",
]);
export type ProviderFailure = z.infer<typeof providerFailureSchema>;

/** One provider in one worker. Before its first request it is `ok` without a last success. */
const providerReportSchema = z.object({
  provider: z.string(),
  state: providerStateSchema,
  last_success_at: z.iso.datetime().nullable(),
  last_failure: z.object({ failure: providerFailureSchema, at: z.iso.datetime() }).nullable(),
});
export type ProviderReport = z.infer<typeof providerReportSchema>;

/** An active worker: one with a heartbeat within the last 30 seconds. */
const workerReportSchema = z.object({
  id: z.string(),
  started_at: z.iso.datetime(),
  seen_at: z.iso.datetime(),
  /** Maximum number of analyses at the same time. */
  concurrency: z.number().int(),
  market_data: marketDataSourceSchema,
  analyst: analystNameSchema,
  /** Its live providers in order of use; none with replayed candles. */
  providers: z.array(providerReportSchema),
});
export type WorkerReport = z.infer<typeof workerReportSchema>;

/** Answer of `GET /admin/health`. */
export const systemHealthSchema = z.object({
  checked_at: z.iso.datetime(),
  queue: z.object({
    waiting: z.number().int(),
    running: z.number().int(),
    /** Age of the oldest waiting signal; 0 if none waits. */
    oldest_waiting_seconds: z.number().nonnegative(),
  }),
  workers: z.array(workerReportSchema),
  /** The responding server; `event_feed` shows if it receives committed events. */
  server: z.object({ event_feed: z.enum(["running", "interrupted"]), version: z.string() }),
});
export type SystemHealth = z.infer<typeof systemHealthSchema>;
