import { z } from "zod";
import { TIMEFRAME_MS, type Timeframe, timeframeSchema } from "./candle.ts";
import { HOLD_CANDLES, SIGNAL_DEFAULTS, SIGNAL_LIMITS } from "./constants.ts";

/** A number from JSON or a form field; what is missing or does not parse becomes `fallback`. */
const numberOr = (fallback: number, range: z.ZodType<number, number>) =>
  z
    .unknown()
    .optional()
    .transform((value) => {
      const parsed = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
      return typeof parsed === "number" && Number.isFinite(parsed) ? parsed : fallback;
    })
    .pipe(range)
    .meta({ description: `${fallback} if it is missing or no number` });

export const symbolSchema = z
  .string({ error: "Enter a symbol." })
  .trim()
  .toUpperCase()
  .min(SIGNAL_LIMITS.symbolLength.min, { error: "Enter a symbol of at least 2 characters." })
  .max(SIGNAL_LIMITS.symbolLength.max, { error: "Enter a symbol of at most 20 characters." })
  .regex(/^[A-Z0-9/.-]+$/, { error: "Use letters, digits, / . and - only." })
  .meta({ examples: [SIGNAL_DEFAULTS.symbol], description: "Lower case counts as upper case" });

/** Body of `POST /get-signal`; amounts are in USD, risk in percent of the amount. */
export const signalRequestSchema = z.object({
  symbol: symbolSchema,
  timeframe: timeframeSchema,
  limit: numberOr(
    SIGNAL_DEFAULTS.limit,
    z.number().int().min(SIGNAL_LIMITS.limit.min).max(SIGNAL_LIMITS.limit.max),
  ),
  amount: numberOr(SIGNAL_DEFAULTS.amount, z.number().positive().max(1e12)),
  risk_percent: numberOr(
    SIGNAL_DEFAULTS.riskPercent,
    z.number().positive().max(SIGNAL_LIMITS.riskPercent.max),
  ),
  leverage: numberOr(
    SIGNAL_DEFAULTS.leverage,
    z.number().min(SIGNAL_LIMITS.leverage.min).max(SIGNAL_LIMITS.leverage.max),
  ),
});
export type SignalRequest = z.infer<typeof signalRequestSchema>;

export const signalKindSchema = z.enum(["BUY", "SELL", "WAIT"]);
export type SignalKind = z.infer<typeof signalKindSchema>;

const signalStatusSchema = z.enum(["queued", "running", "completed", "failed"]);
export type SignalStatus = z.infer<typeof signalStatusSchema>;

export const outcomeSchema = z.enum(["WIN", "LOSS", "EXPIRED"]);
export type Outcome = z.infer<typeof outcomeSchema>;

/** Sources of the candles and of the analysis. */
export const signalSourceSchema = z.object({
  data: z.enum(["live", "replay", "none"]),
  provider: z.string(),
  analyst: z.enum(["openai", "rules", "none"]),
  model: z.string(),
  /** Name and version of the analyst, such as `rules/1`. */
  analyst_version: z.string().optional(),
  last_candle_at: z.iso.datetime().nullable(),
  price: z.number().nullable(),
  /** The market analysis, which other users' signals may share, and its time. */
  analysis_id: z.string().optional(),
  analysed_at: z.iso.datetime().optional(),
});
export type SignalSource = z.infer<typeof signalSourceSchema>;

/** The unchanged advice. */
const rawAiSchema = z.object({
  confidence: z.number(),
  rationale: z.string(),
  key_evidence: z.array(z.string()),
  market_condition: z.string(),
  what_to_watch_for: z.array(z.string()),
});

/** A sized analysis: levels in the quote currency, other units as in contract §4. */
export const analysisSchema = z.object({
  final_signal: signalKindSchema,
  confidence: z.number().min(0).max(100),
  entry: z.number().nullable(),
  stop_loss: z.number().nullable(),
  take_profit: z.number().nullable(),
  warnings: z.array(z.string()),
  suggested_hold: z.string(),
  /** Hold limit, including the candle of the fill; null for a WAIT. */
  hold_candles: z.number().int().min(HOLD_CANDLES.min).max(HOLD_CANDLES.max).nullable().optional(),
  suggested_units: z.number(),
  estimated_dollar_risk: z.number(),
  required_margin: z.number(),
  trade_duration_text: z.string(),
  /** When the entry expires; null for a WAIT. */
  valid_until: z.iso.datetime().nullable().optional(),
  /** Milliseconds from the close of the last candle to this result. */
  delivery_delay_ms: z.number().nonnegative().optional(),
  /** `confidence` corrected by the record of the analyst; null if that is too short. */
  calibrated_confidence: z.number().min(0).max(100).nullable().optional(),
  raw_ai: rawAiSchema,
  source: signalSourceSchema,
});
export type Analysis = z.infer<typeof analysisSchema>;

/** The analysis of a market, without position size. */
export type UnsizedAnalysis = Omit<
  Analysis,
  "suggested_units" | "estimated_dollar_risk" | "required_margin"
>;

const signalOriginSchema = z.enum(["request", "watchlist"]);
export type SignalOrigin = z.infer<typeof signalOriginSchema>;

/** When the price had left the entry zone, by the close of the candle that shows it, and where it was. */
export const entryLeftSchema = z.object({ price: z.number(), at: z.iso.datetime() });
export type EntryLeft = z.infer<typeof entryLeftSchema>;

/** Answer of `POST /get-signal` and `GET /signals/{id}`; `analysis` is null until the signal is finished. */
export const signalResponseSchema = z.object({
  signal_id: z.string(),
  symbol: z.string(),
  timeframe: timeframeSchema,
  status: signalStatusSchema,
  created_at: z.iso.datetime(),
  origin: signalOriginSchema.default("request"),
  analysis: analysisSchema.nullable(),
  /** Absent while the entry is available, as far as known. */
  entry_left: entryLeftSchema.nullable().optional(),
});
export type SignalResponse = z.infer<typeof signalResponseSchema>;

/** Answer of `POST /get-signal` with `Prefer: respond-async`. */
export const signalAcceptedSchema = z.object({
  signal_id: z.string(),
  status: signalStatusSchema,
});
export type SignalAccepted = z.infer<typeof signalAcceptedSchema>;

export const historyItemSchema = z.object({
  id: z.string(),
  timestamp: z.iso.datetime(),
  symbol: z.string(),
  timeframe: timeframeSchema,
  status: signalStatusSchema,
  signal: signalKindSchema,
  confidence: z.number(),
  calibrated_confidence: z.number().optional(),
  entry: z.number().nullable(),
  stop_loss: z.number().nullable(),
  take_profit: z.number().nullable(),
  outcome: outcomeSchema.optional(),
  valid_until: z.iso.datetime().nullable().optional(),
  entry_left: entryLeftSchema.nullable().optional(),
  rationale: z.string(),
});
export type HistoryItem = z.infer<typeof historyItemSchema>;

export const historyPageSchema = z.object({
  signals: z.array(historyItemSchema),
  next_cursor: z.string().nullable(),
});
export type HistoryPage = z.infer<typeof historyPageSchema>;

/** Candles after the last closed one in which an entry is valid. */
const VALID_CANDLES: Record<Timeframe, number> = {
  "1m": 15,
  "5m": 6,
  "15m": 4,
  "30m": 4,
  "1h": 4,
  "4h": 3,
  "1d": 2,
};

/** When an entry expires, in Unix milliseconds; `lastCandleAt` is the close of the last candle. */
export function validUntil(options: { timeframe: Timeframe; lastCandleAt: number }): number {
  const { timeframe, lastCandleAt } = options;
  return lastCandleAt + VALID_CANDLES[timeframe] * TIMEFRAME_MS[timeframe];
}

const historyOutcomeSchema = z.enum([...outcomeSchema.options, "PENDING"]);
export type HistoryOutcome = z.infer<typeof historyOutcomeSchema>;

const symbolPartSchema = z
  .string({ error: "Enter a part of a symbol." })
  .trim()
  .toUpperCase()
  .min(1, { error: "Enter a part of a symbol." })
  .max(SIGNAL_LIMITS.symbolLength.max, { error: "Use at most 20 characters." })
  .regex(/^[A-Z0-9/.-]+$/, { error: "Use letters, digits, / . and - only." })
  .meta({ description: "Part of a symbol; lower case counts as upper case" });

/** Filters of the history. */
export const historyFilterSchema = z
  .object({ symbol: symbolPartSchema, signal: signalKindSchema, outcome: historyOutcomeSchema })
  .partial();
