import { z } from "zod";
import { MIN_SIGNALS } from "./constants.ts";
import { symbolSchema, timeframeSchema } from "./market-data.ts";
import { signalOriginSchema } from "./signal.ts";

/** When the user enters: as the ledger has it, some time after the signal, or after the message about it arrived. */
export const FOLLOW_DELAYS = ["0", "1m", "5m", "15m", "delivered"] as const;
export type FollowDelay = (typeof FOLLOW_DELAYS)[number];

export const FOLLOW_DEFAULTS = { startBalance: 1_000, riskPercent: 1, delay: "0" } as const;

const number = (error: string) => z.coerce.number({ error });

const BALANCE = {
  min: { value: 1, error: "Use at least 1 US dollar." },
  max: { value: 1_000_000_000, error: "Use at most 1,000,000,000 US dollars." },
};
const RISK = { max: 100, error: "Use a risk above 0, up to 100 percent." };

export const followedQuerySchema = z.object({
  origin: signalOriginSchema.optional(),
  symbol: symbolSchema.optional(),
  timeframe: timeframeSchema.optional(),
  min_confidence: number("Use a confidence from 0 to 100.")
    .min(0, { error: "Use a confidence from 0 to 100." })
    .max(100, { error: "Use a confidence from 0 to 100." })
    .optional(),
  since: z.iso.datetime().optional().meta({ description: "Signals made at this time or later" }),
  until: z.iso.datetime().optional().meta({ description: "Signals made before this time" }),
  start_balance: number("Enter a balance in US dollars.")
    .min(BALANCE.min.value, { error: BALANCE.min.error })
    .max(BALANCE.max.value, { error: BALANCE.max.error })
    .default(FOLLOW_DEFAULTS.startBalance)
    .meta({ description: "US dollars" }),
  risk_percent: number(RISK.error)
    .positive({ error: RISK.error })
    .max(RISK.max, { error: RISK.error })
    .default(FOLLOW_DEFAULTS.riskPercent)
    .meta({ description: "Of the balance at the time of each entry" }),
  delay: z.enum(FOLLOW_DELAYS).default(FOLLOW_DEFAULTS.delay).meta({
    description:
      "`0`: entered as the ledger has it. Otherwise at the first known price so long after the signal, or after the message about it arrived",
  }),
});
export type FollowedQuery = z.infer<typeof followedQuerySchema>;

/** Why a signal was not followed. */
export const SKIP_REASONS = [
  "pending",
  "not-filled",
  "repeated",
  "too-late",
  "entry-left",
  "ended-before",
  "no-price",
  "no-balance",
] as const;
export type SkipReason = (typeof SKIP_REASONS)[number];

const skipReasonSchema = z.enum(SKIP_REASONS).meta({
  description:
    "`pending`: not ended yet. `not-filled`: the entry was never reached. `repeated`: of an analysis that another signal " +
    "follows. `too-late`: the entry was no longer valid. `entry-left`: the price had left the entry zone. `ended-before`: " +
    "stop or target came first. `no-price`: no price is known. `no-balance`: nothing was left",
});

const count = z.int().nonnegative();
const sums = { trades: count, wins: count, total_r: z.number(), profit: z.number() };

const followedTradeSchema = z.object({
  signal_id: z.string(),
  symbol: z.string(),
  timeframe: timeframeSchema,
  side: z.enum(["BUY", "SELL"]),
  entered_at: z.iso.datetime(),
  fill: z.number(),
  exited_at: z.iso.datetime(),
  exit: z.number(),
  r_multiple: z.number().meta({ description: "After trading costs, without funding" }),
  funding: z.number().meta({ description: "Part of the profit; negative if it was paid" }),
  profit: z.number(),
  balance: z.number(),
});
export type FollowedTrade = z.infer<typeof followedTradeSchema>;

/** Amounts are in US dollars, net of trading costs and with funding. */
export const followedSchema = z
  .object({
    start_balance: z.number(),
    end_balance: z.number(),
    max_drawdown_percent: z
      .number()
      .meta({ description: "Largest fall of the balance from an earlier high, after each exit" }),
    trades: count,
    wins: count.meta({ description: "Trades with a profit" }),
    total_r: z.number().meta({ description: "After trading costs, without funding" }),
    funding: z.number().meta({ description: "Of all trades; negative if it was paid" }),
    without_funding: count.meta({
      description:
        "Trades of crypto that were open at a funding time, and whose funding rate is not known: they neither pay nor receive any",
    }),
    skipped: z.array(z.object({ reason: skipReasonSchema, count })),
    equity: z
      .array(z.object({ at: z.iso.datetime(), balance: z.number() }))
      .meta({ description: "From the first entry on, after each exit; at most 500 points" }),
    by_market: z.array(z.object({ symbol: z.string(), ...sums })),
    by_day: z
      .array(z.object({ day: z.iso.date(), ...sums }))
      .meta({ description: "By the day of the exit, UTC" }),
    demo_trades: count.meta({ description: "Of signals from demo data" }),
    holding: z.object({ end_balance: z.number() }).nullable().meta({
      description:
        "The start balance in equal parts in the same markets, each from its first entry to its last exit, without funding",
    }),
    random: z
      .object({ low: z.number(), median: z.number(), high: z.number(), runs: count })
      .nullable()
      .meta({
        description:
          "End balances of as many entries at random with the same levels, costs and funding: the middle 95 %",
      }),
    verdict: z.enum(["better", "worse", "same"]).nullable().meta({
      description:
        "`same`: within what random entries give, so nothing is claimed. Null below 30 trades",
    }),
    results: z.array(followedTradeSchema).meta({ description: "All trades, in order of exit" }),
    truncated: z.boolean().meta({ description: "Whether older signals were left out" }),
  })
  .meta({ id: "Followed" });
export type Followed = z.infer<typeof followedSchema>;

/** What the comparison with random entries says, in the app and in emails. */
export const followedVerdict = ({ verdict }: Pick<Followed, "verdict">): string =>
  verdict ? VERDICTS[verdict] : `Fewer than ${MIN_SIGNALS} trades are too few for a comparison.`;

const VERDICTS = {
  better: "That is more than entries at random give in 95 % of cases.",
  worse: "That is less than entries at random give in 95 % of cases.",
  same: "That is within what entries at random give, so it shows neither skill nor the lack of it.",
} as const;

/** Whether the user gets an email about each month, and of which account. */
export const resultsEmailSchema = z
  .object({
    monthly: z.boolean(),
    start_balance: z
      .number()
      .min(BALANCE.min.value, { error: BALANCE.min.error })
      .max(BALANCE.max.value, { error: BALANCE.max.error })
      .default(FOLLOW_DEFAULTS.startBalance)
      .meta({ description: "US dollars" }),
    risk_percent: z
      .number()
      .positive({ error: RISK.error })
      .max(RISK.max, { error: RISK.error })
      .default(FOLLOW_DEFAULTS.riskPercent)
      .meta({ description: "Of the balance at the time of each entry" }),
  })
  .meta({ id: "ResultsEmail" });
export type ResultsEmail = z.infer<typeof resultsEmailSchema>;
