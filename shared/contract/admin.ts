import { z } from "zod";
import { userCardSchema } from "./account.ts";
import { MESSAGES } from "./messages.ts";
import { analystNameSchema, marketDataSourceSchema } from "./status.ts";

/** Answer of `GET /admin/list-users`, newest registration first. */
export const userListSchema = z.object({ users: z.array(userCardSchema) }).meta({ id: "UserList" });
export type UserList = z.infer<typeof userListSchema>;

/** Answer of the admin actions: a sentence that says what was done. */
export const actionDoneSchema = z.object({ detail: z.string() }).meta({ id: "ActionDone" });
export type ActionDone = z.infer<typeof actionDoneSchema>;

const trueOrFalse = { error: "Choose true or false." };

/** Form of `POST /admin/set-image-access/{username}`; JSON may say it with a boolean. */
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

/** Form of `POST /admin/grant-image-credits/{username}`: digits with an optional minus sign; JSON may use a number. */
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

/** Answer of `POST /admin/queue/ticket`: opens `/admin/queue/?ticket=` once, within a minute. */
export const queueTicketSchema = z
  .object({ ticket: z.string(), expires_at: z.iso.datetime() })
  .meta({ id: "QueueTicket" });
export type QueueTicket = z.infer<typeof queueTicketSchema>;

/** What an administrator did, to whom and when; `action` is the name of the event that told of it. */
export const auditEntrySchema = z
  .object({
    id: z.string(),
    actor: z.string(),
    action: z.string(),
    subject: z.string().nullable(),
    details: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
    at: z.iso.datetime(),
  })
  .meta({ id: "AuditEntry" });
export type AuditEntry = z.infer<typeof auditEntrySchema>;

/** Answer of `GET /admin/audit`, newest first. */
export const auditPageSchema = z
  .object({
    entries: z.array(auditEntrySchema),
    next_cursor: z.string().nullable(),
  })
  .meta({ id: "AuditPage" });
export type AuditPage = z.infer<typeof auditPageSchema>;

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
const modelUsageSchema = z.object({ model: z.string(), ...usageFields });
export type ModelUsage = z.infer<typeof modelUsageSchema>;

/** The sums of some days that end now; days begin at midnight UTC. */
const usagePeriodSchema = z.object({
  since: z.iso.datetime(),
  ...usageFields,
  /** The most used first. */
  by_model: z.array(modelUsageSchema),
});
export type UsagePeriod = z.infer<typeof usagePeriodSchema>;

/** Daily AI budget, and what has been spent of it since midnight UTC, in US dollars. */
const budgetUsageSchema = z.object({
  spent_usd: z.number().nonnegative(),
  budget_usd: z.number().positive(),
});
export type BudgetUsage = z.infer<typeof budgetUsageSchema>;

/** Answer of `GET /admin/usage`; each period contains the one before. */
export const usageSchema = z
  .object({
    /** Null if no budget is set. */
    budget: budgetUsageSchema.nullable(),
    today: usagePeriodSchema,
    last_7_days: usagePeriodSchema,
    last_30_days: usagePeriodSchema,
  })
  .meta({ id: "Usage" });
export type Usage = z.infer<typeof usageSchema>;

/**
 * State of a provider of candles. `failing`: its last request failed, of whatever market. `resting`: it is not called for
 * any market for a while, since its connection failed several times in a row or most of its markets fail; this lasts
 * until a call has succeeded. A market that is paused by itself leaves the provider as it is.
 */
const providerStateSchema = z.enum(["ok", "failing", "resting"]);
export type ProviderState = z.infer<typeof providerStateSchema>;

/**
 * Why a provider gave no usable answer.
 * `unreachable`: no answer at all; `unknown-symbol`: it does not list the symbol;
 * `rate-limited`, `refused`, `nonsense`, `timeout`: it was there, but of no use.
 */
const providerFailureSchema = z.enum([
  "unreachable",
  "unknown-symbol",
  "rate-limited",
  "refused",
  "nonsense",
  "timeout",
]);
export type ProviderFailure = z.infer<typeof providerFailureSchema>;

/** One provider as one worker knows it; one that has not been asked yet is `ok` without a last success. */
const providerReportSchema = z.object({
  provider: z.string(),
  state: providerStateSchema,
  last_success_at: z.iso.datetime().nullable(),
  last_failure: z.object({ failure: providerFailureSchema, at: z.iso.datetime() }).nullable(),
});
export type ProviderReport = z.infer<typeof providerReportSchema>;

/** A living worker: one that was seen within the last half minute. */
const workerReportSchema = z.object({
  id: z.string(),
  started_at: z.iso.datetime(),
  seen_at: z.iso.datetime(),
  /** Analyses that it takes on at the same time. */
  concurrency: z.number().int(),
  market_data: marketDataSourceSchema,
  analyst: analystNameSchema,
  /** Its live providers, in the order in which they are asked; none with replayed candles. */
  providers: z.array(providerReportSchema),
});
export type WorkerReport = z.infer<typeof workerReportSchema>;

/** Answer of `GET /admin/health`. */
export const systemHealthSchema = z
  .object({
    checked_at: z.iso.datetime(),
    queue: z.object({
      /** Signals that no worker has begun, and signals in work. */
      waiting: z.number().int(),
      running: z.number().int(),
      /** Age of the longest waiting signal; 0 when none waits. */
      oldest_waiting_seconds: z.number().nonnegative(),
    }),
    workers: z.array(workerReportSchema),
    /** The server that answers: whether committed events reach it, and so its browsers, at the moment. */
    server: z.object({ event_feed: z.enum(["running", "interrupted"]), version: z.string() }),
  })
  .meta({ id: "SystemHealth" });
export type SystemHealth = z.infer<typeof systemHealthSchema>;
