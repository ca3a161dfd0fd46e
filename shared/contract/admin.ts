import { z } from "zod";
import { roleSchema, userCardSchema } from "./account.ts";
import { MAX_EMAILED_USERS, MESSAGES } from "./constants.ts";
import { analystNameSchema, marketDataSourceSchema, priceFeedSchema } from "./market-data.ts";
import { pageQuerySchema, wholeNumberSchema } from "./pagination.ts";
import { paymentDetailsSchema } from "./payment.ts";
import { reauthenticationSchema } from "./reauthentication.ts";
import { historyItemSchema } from "./signal.ts";
import { billingPeriodSchema } from "./subscription.ts";

const countSchema = z.number().int().nonnegative();

export const userListSchema = z
  .object({
    users: z.array(userCardSchema),
    next_cursor: z.string().nullable(),
    /** Of all pages. */
    total: countSchema,
  })
  .meta({ id: "UserList" });
export type UserList = z.infer<typeof userListSchema>;

export const USER_STATUSES = ["pending", "approved", "proof", "ending", "grace", "ended"] as const;

const MAX_USERS_PER_PAGE = 200;

/** `-` sorts downwards. `ends` lists users with a subscription, by the end of their access. */
export const USER_SORTS = [
  "-registered",
  "registered",
  "username",
  "-username",
  "ends",
  "-ends",
] as const;

export const userListQuerySchema = pageQuerySchema({ default: 50, max: MAX_USERS_PER_PAGE }).extend(
  {
    search: z
      .string()
      .trim()
      .max(100)
      .optional()
      .meta({ description: "A part of the username, the email address or the sender name" }),
    status: z.enum(USER_STATUSES).optional().meta({
      description:
        "`proof`: a payment proof awaits review; `ending`: the subscription ends within 7 days; `grace`: it has ended, and access continues; `ended`: access ended with it",
    }),
    sort: z.enum(USER_SORTS).optional().meta({
      description:
        "`-registered` (newest first) by default; `ends` lists only users with a subscription, by the end of their access",
    }),
    limit: wholeNumberSchema(1)
      .transform((limit) => Math.min(limit, MAX_USERS_PER_PAGE))
      .optional()
      .meta({ description: `Users per page, at most ${MAX_USERS_PER_PAGE}; all without it` }),
  },
);
export type UserListQuery = z.infer<typeof userListQuerySchema>;

const creditEntrySchema = z.object({
  id: z.string(),
  at: z.iso.datetime(),
  kind: z.enum(["grant", "spend", "refund"]),
  amount: z.number().int(),
  balance: countSchema,
  /** A username, or `system`. */
  by: z.string(),
  why: z.string(),
});
export type CreditEntry = z.infer<typeof creditEntrySchema>;

/** Newest first: all billing periods, the last 50 entries of the credit ledger and the last 20 finished signals. */
export const userDetailsSchema = z
  .object({
    user: userCardSchema,
    periods: z.array(billingPeriodSchema),
    credits: z.array(creditEntrySchema),
    signals: z.array(historyItemSchema),
    /** Servers of earlier versions do not say it. */
    api_keys: z
      .int()
      .nonnegative()
      .default(0)
      .meta({ description: "Number of keys that have not expired" }),
  })
  .meta({ id: "UserDetails" });
export type UserDetails = z.infer<typeof userDetailsSchema>;

/** An email to several users, as plain text. */
export const usersEmailSchema = z
  .object({
    usernames: z
      .array(z.string().max(64))
      .min(1, { error: "Choose at least one user." })
      .max(MAX_EMAILED_USERS, { error: `Choose at most ${MAX_EMAILED_USERS} users.` }),
    subject: z
      .string()
      .trim()
      .min(1, { error: "Enter a subject." })
      .max(120, { error: "Use at most 120 characters." })
      .regex(/^\P{Cc}*$/u, { error: "Use one line." }),
    text: z
      .string()
      .trim()
      .min(1, { error: "Enter a text." })
      .max(5_000, { error: "Use at most 5,000 characters." }),
  })
  .meta({ id: "UsersEmail" });
export type UsersEmail = z.infer<typeof usersEmailSchema>;

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

/** The caller confirms it with their own credentials. */
export const paymentDetailsUpdateSchema = paymentDetailsSchema
  .partial()
  .extend(reauthenticationSchema.shape)
  .meta({ id: "PaymentDetailsUpdate" });
export type PaymentDetailsUpdate = z.infer<typeof paymentDetailsUpdateSchema>;

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
 * succeeds, because its connection failed several times, most of its markets fail, or its rate limit or ban has to be
 * obeyed.
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
  /** Until when all workers leave it alone, because it demanded that. */
  paused_until: z.iso.datetime().nullable(),
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

/** One analysis of recorded candles, which makes no signal and no record. */
export const modelTestResultSchema = z.object({
  /** The advice passed all checks. */
  is_usable: z.boolean(),
  /** The advice, or what to change. */
  detail: z.string(),
  /** Answers of the model, including that to a correction. */
  answers: countSchema,
  /** Null if the server counts none. */
  prompt_tokens: countSchema.nullable(),
  completion_tokens: countSchema.nullable(),
  /** Null if the price of the model is not set. */
  cost_usd: z.number().nonnegative().nullable(),
  latency_ms: countSchema,
});
export type ModelTestResult = z.infer<typeof modelTestResultSchema>;

/** What the workers know of the AI model that they use. */
const modelReportSchema = z.object({
  /** Of the server, without user, password and query. */
  address: z.string(),
  model: z.string(),
  /** What its calls contain, as the server accepts it; null before the first answer. */
  accepts: z
    .object({
      response_format: z.string(),
      /** Name of the limit of a reply; `none` if the server accepts neither. */
      token_limit: z.string(),
      left_out: z.array(z.string()),
      learned_at: z.iso.datetime(),
    })
    .nullable(),
  /** A fault of the settings in the last call; null once a call succeeds. */
  fault: z.object({ detail: z.string(), at: z.iso.datetime() }).nullable(),
  /** What the server's list says of the model: unknown, to be shut down, too short a context. */
  notices: z.array(z.string()),
  /** The last test of the model; `result` is null until a worker has made it. */
  test: z
    .object({ requested_at: z.iso.datetime(), result: modelTestResultSchema.nullable() })
    .nullable(),
});
export type ModelReport = z.infer<typeof modelReportSchema>;

/** `backlog`: signals wait for too long. `model`: the AI model has a fault or a notice. */
const systemProblemSchema = z.enum([
  "no-worker",
  "feed-interrupted",
  "backlog",
  "provider-failing",
  "price-feed-lost",
  "model",
]);
export type SystemProblem = z.infer<typeof systemProblemSchema>;

export const systemHealthSchema = z
  .object({
    checked_at: z.iso.datetime(),
    problems: z.array(systemProblemSchema),
    queue: z.object({
      /** Signals that are not started, and signals that are. */
      waiting: z.number().int(),
      running: z.number().int(),
      /** 0 without a waiting signal. */
      oldest_waiting_seconds: z.number().nonnegative(),
    }),
    workers: z.array(workerReportSchema),
    /** Of all workers that use an AI model. */
    models: z.array(modelReportSchema),
    /** Markets with live prices, by kind of feed. */
    prices: z.record(priceFeedSchema, countSchema),
    /** `event_feed`: committed events reach this server. */
    server: z.object({ event_feed: z.enum(["running", "interrupted"]), version: z.string() }),
  })
  .meta({ id: "SystemHealth" });
export type SystemHealth = z.infer<typeof systemHealthSchema>;

export const overviewSchema = z
  .object({
    users: countSchema,
    pending: countSchema,
    /** Proofs of payment that await review. */
    proofs: countSchema,
    problems: z.array(systemProblemSchema),
    /** In the last 24 hours. */
    failed_signals: countSchema,
  })
  .meta({ id: "Overview" });
export type Overview = z.infer<typeof overviewSchema>;

/** The steps after the installation, checked now. Each is `done`, or why not. */
export const setupSchema = z
  .object({
    payment_details: z.enum(["done", "missing"]),
    contact: z.enum(["done", "missing"]),
    /** As the workers report them. */
    analyst: z.enum(["done", "no-key", "no-worker"]),
    market_data: z.enum(["done", "demo-data", "failing", "no-worker"]),
    email: z.enum(["done", "no-server", "unreachable"]),
    /** Of the caller. */
    two_factor: z.enum(["done", "off"]),
  })
  .meta({ id: "Setup" });
export type Setup = z.infer<typeof setupSchema>;
