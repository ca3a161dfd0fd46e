import { z } from "zod";
import { SIGNAL_DEFAULTS, SIGNAL_LIMITS } from "./constants.ts";
import { symbolSchema, TIMEFRAME_MS, type Timeframe, timeframeSchema } from "./market-data.ts";
import { signalKindSchema } from "./signal.ts";

const number = z.number({ error: "Enter a number." });

/** A number from JSON or a form field. Unlike in a signal request, anything else is refused. */
const numberIn = (range: z.ZodType<number, number>) =>
  z
    .unknown()
    .transform((value) => {
      const isText = typeof value === "string" && value.trim() !== "";
      return isText ? Number(value) : value;
    })
    .pipe(z.unknown().pipe(number).pipe(range));

const percentSchema = number
  .min(0, { error: "Enter a confidence from 0 to 100." })
  .max(100, { error: "Enter a confidence from 0 to 100." });
const amountSchema = number
  .positive({ error: "Enter an amount above 0." })
  .max(1e12, { error: "Enter a smaller amount." });
const RISK_RANGE = { error: `Enter a risk above 0, up to ${SIGNAL_LIMITS.riskPercent.max}.` };
const riskSchema = number.positive(RISK_RANGE).max(SIGNAL_LIMITS.riskPercent.max, RISK_RANGE);
const { min, max } = SIGNAL_LIMITS.leverage;
const LEVERAGE_RANGE = { error: `Enter a leverage from ${min} to ${max}.` };
const leverageSchema = number.min(min, LEVERAGE_RANGE).max(max, LEVERAGE_RANGE);

/** Amounts are in USD, risk in percent of the amount. */
const watchTerms = {
  min_confidence: numberIn(percentSchema).meta({
    description: "A signal is made from this confidence on, 0 to 100",
  }),
  amount: numberIn(amountSchema),
  risk_percent: numberIn(riskSchema),
  leverage: numberIn(leverageSchema),
};

export const newWatchlistItemSchema = z
  .object({
    symbol: symbolSchema,
    timeframe: timeframeSchema,
    min_confidence: watchTerms.min_confidence.default(0),
    amount: watchTerms.amount.default(SIGNAL_DEFAULTS.amount),
    risk_percent: watchTerms.risk_percent.default(SIGNAL_DEFAULTS.riskPercent),
    leverage: watchTerms.leverage.default(SIGNAL_DEFAULTS.leverage),
  })
  .meta({ id: "NewWatchlistItem" });
export type NewWatchlistItem = z.infer<typeof newWatchlistItemSchema>;

const unchangeable = (what: string) =>
  z.never({ error: `The ${what} of an item cannot be changed.` }).optional();

export const watchlistItemChangeSchema = z
  .object({
    ...watchTerms,
    enabled: z.boolean({ error: "Use true or false." }),
    symbol: unchangeable("symbol"),
    timeframe: unchangeable("timeframe"),
  })
  .partial()
  .meta({ id: "WatchlistItemChange" });
export type WatchlistItemChange = z.infer<typeof watchlistItemChangeSchema>;

export const watchlistItemSchema = z
  .object({
    id: z.string(),
    symbol: z.string(),
    timeframe: timeframeSchema,
    min_confidence: z.number(),
    amount: z.number(),
    risk_percent: z.number(),
    leverage: z.number(),
    enabled: z.boolean(),
    created_at: z.iso.datetime(),
    /** The next close at which the market is open; null if it never is when a candle closes. */
    next_at: z.iso.datetime().nullable(),
    /** The last analysis of the market. `final_signal` is null if it failed, `signal_id` if the user has no signal of it. */
    last: z
      .object({
        at: z.iso.datetime(),
        final_signal: signalKindSchema.nullable(),
        confidence: z.number(),
        signal_id: z.string().nullable(),
      })
      .nullable(),
  })
  .meta({ id: "WatchlistItem" });
export type WatchlistItem = z.infer<typeof watchlistItemSchema>;

export const watchlistSchema = z
  .object({
    items: z.array(watchlistItemSchema),
    /** How many items a user may have. */
    limit: z.number().int(),
    /** Shorter timeframes cannot be added. */
    min_timeframe: timeframeSchema,
  })
  .meta({ id: "Watchlist" });
export type Watchlist = z.infer<typeof watchlistSchema>;

/** @param shortest timeframe that can be watched */
export const isWatchable = (timeframe: Timeframe, shortest: Timeframe): boolean =>
  TIMEFRAME_MS[timeframe] >= TIMEFRAME_MS[shortest];
