import { z } from "zod";
import { HOLD_CANDLES, SIGNAL_DEFAULTS, SIGNAL_LIMITS } from "./constants.ts";
import { symbolSchema, TIMEFRAME_MS, type Timeframe, timeframeSchema } from "./market-data.ts";

/** A number from JSON or a form field; `fallback` if it is missing or invalid. */
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

/** Amounts are in USD, risk in percent of the amount. */
export const signalRequestSchema = z
  .object({
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
  })
  .meta({ id: "SignalRequest" });
export type SignalRequest = z.infer<typeof signalRequestSchema>;

export const signalKindSchema = z.enum(["BUY", "SELL", "WAIT"]);
export type SignalKind = z.infer<typeof signalKindSchema>;

const signalStatusSchema = z.enum(["queued", "running", "completed", "failed"]);
export type SignalStatus = z.infer<typeof signalStatusSchema>;

export const outcomeSchema = z.enum(["WIN", "LOSS", "EXPIRED"]);
export type Outcome = z.infer<typeof outcomeSchema>;

/** Origin of a signal's candles and analysis. */
export const signalSourceSchema = z.object({
  data: z.enum(["live", "replay", "none"]),
  provider: z.string(),
  analyst: z.enum(["openai", "rules", "none"]),
  model: z.string(),
  /** Name and version of the analyst, such as `rules/1`. Each version has its own record. */
  analyst_version: z.string().optional(),
  last_candle_at: z.iso.datetime().nullable(),
  price: z.number().nullable(),
  /** The market analysis, which other signals may share, and its time. */
  analysis_id: z.string().optional(),
  analysed_at: z.iso.datetime().optional(),
  /** Made afterwards from recorded candles, to show the product; `analysed_at` is the time of these candles. */
  demo_record: z.literal(true).optional(),
});
export type SignalSource = z.infer<typeof signalSourceSchema>;

/** A text, or texts by topic. */
export const rationaleSchema = z.union([
  z.string(),
  z.record(z.string(), z.unknown()),
  z.array(z.unknown()),
]);
export type Rationale = z.infer<typeof rationaleSchema>;

/** What the analyst saw on the chart image; null for what it could not read. */
const chartReadingSchema = z.object({
  symbol: z.string().nullable(),
  last_price: z.number().nullable(),
  timeframe: z.string().nullable(),
  /** Prices of drawn horizontal lines, and formations. Signals of earlier versions have neither. */
  lines: z.array(z.number()).optional(),
  patterns: z.array(z.string()).optional(),
});

/** The analyst's unedited reply. */
const rawAiSchema = z.object({
  confidence: z.number(),
  rationale: rationaleSchema,
  key_evidence: z.array(z.string()),
  /** What speaks against the signal. Signals of earlier versions have none. */
  counter_evidence: z.array(z.string()).optional(),
  market_condition: z.string(),
  what_to_watch_for: z.array(z.string()),
  /** Only if it read a chart image. */
  chart_reading: chartReadingSchema.optional(),
});

/** Levels are in the quote currency, other values in the units of contract §4. */
export const analysisSchema = z
  .object({
    final_signal: signalKindSchema,
    confidence: z.number().min(0).max(100),
    entry: z.number().nullable(),
    stop_loss: z.number().nullable(),
    take_profit: z.number().nullable(),
    warnings: z.array(z.string()),
    suggested_hold: z.string(),
    /** Candles until an open trade is closed, including that of the fill; null for a WAIT. */
    hold_candles: z
      .number()
      .int()
      .min(HOLD_CANDLES.min)
      .max(HOLD_CANDLES.max)
      .nullable()
      .optional(),
    suggested_units: z.number(),
    estimated_dollar_risk: z.number(),
    required_margin: z.number(),
    trade_duration_text: z.string(),
    /** End of the entry window; null for a WAIT. */
    valid_until: z.iso.datetime().nullable().optional(),
    /** Milliseconds from the close of the last candle to this result. */
    delivery_delay_ms: z.number().nonnegative().optional(),
    /** Null while the analyst's record is too short. */
    calibrated_confidence: z.number().min(0).max(100).nullable().optional(),
    raw_ai: rawAiSchema,
    source: signalSourceSchema,
  })
  .meta({ id: "Analysis" });
export type Analysis = z.infer<typeof analysisSchema>;

/** An analysis without the values that depend on a user's amount, risk and leverage. */
export type UnsizedAnalysis = Omit<
  Analysis,
  "suggested_units" | "estimated_dollar_risk" | "required_margin"
>;

export const signalOriginSchema = z.enum(["request", "watchlist"]);
export type SignalOrigin = z.infer<typeof signalOriginSchema>;

/** Price and close of the candle in which the price left the entry zone. */
export const entryLeftSchema = z.object({ price: z.number(), at: z.iso.datetime() });
export type EntryLeft = z.infer<typeof entryLeftSchema>;

/** Price and time at which the trade was entered. */
export const filledSchema = z.object({ price: z.number(), at: z.iso.datetime() });
export type Filled = z.infer<typeof filledSchema>;

/** `analysis` is null until the signal is finished. */
export const signalResponseSchema = z
  .object({
    signal_id: z.string(),
    symbol: z.string(),
    timeframe: timeframeSchema,
    status: signalStatusSchema,
    created_at: z.iso.datetime(),
    origin: signalOriginSchema.default("request"),
    analysis: analysisSchema.nullable(),
    /** Null or absent while the entry is available. */
    entry_left: entryLeftSchema.nullable().optional(),
    /** Null or absent until closed candles show that the trade was entered. */
    filled: filledSchema.nullable().optional(),
    /** Absent while pending. */
    outcome: outcomeSchema.optional(),
    /** What the user has written about it. */
    note: z.string().optional(),
  })
  .meta({ id: "Signal" });
export type SignalResponse = z.infer<typeof signalResponseSchema>;

export const MAX_NOTE_LENGTH = 1_000;

/** An empty note deletes it. */
export const signalNoteSchema = z
  .object({
    note: z.string().trim().max(MAX_NOTE_LENGTH, `Use at most ${MAX_NOTE_LENGTH} characters.`),
  })
  .meta({ id: "SignalNote" });

export const signalAcceptedSchema = z
  .object({
    signal_id: z.string(),
    status: signalStatusSchema,
  })
  .meta({ id: "SignalAccepted" });
export type SignalAccepted = z.infer<typeof signalAcceptedSchema>;

export const historyItemSchema = z
  .object({
    id: z.string(),
    timestamp: z.iso.datetime(),
    symbol: z.string(),
    timeframe: timeframeSchema,
    status: signalStatusSchema,
    signal: signalKindSchema,
    confidence: z.number(),
    /** Absent if the analysis has none. */
    calibrated_confidence: z.number().optional(),
    entry: z.number().nullable(),
    stop_loss: z.number().nullable(),
    take_profit: z.number().nullable(),
    outcome: outcomeSchema.optional(),
    valid_until: z.iso.datetime().nullable().optional(),
    entry_left: entryLeftSchema.nullable().optional(),
    filled: filledSchema.nullable().optional(),
    rationale: rationaleSchema,
    origin: signalOriginSchema.optional(),
    analysis_id: z.string().optional(),
    demo_record: z.literal(true).optional(),
    note: z.string().optional(),
    /** Sizing for the user, as in the analysis; absent for a WAIT. */
    suggested_units: z.number().optional(),
    estimated_dollar_risk: z.number().optional(),
    /** Result of an ended trade, net of costs; absent if it was not filled. */
    r_multiple: z.number().optional(),
    /** The market had no more candles, so it is unknown whether an unfilled trade would have been. */
    without_data: z.literal(true).optional(),
  })
  .meta({ id: "SignalHistoryItem" });
export type HistoryItem = z.infer<typeof historyItemSchema>;

export const historyPageSchema = z
  .object({
    signals: z.array(historyItemSchema),
    next_cursor: z.string().nullable(),
  })
  .meta({ id: "SignalHistory" });
export type HistoryPage = z.infer<typeof historyPageSchema>;

/** Candles after the last closed one in which an entry is valid: about half an hour of a scalp, half a day of a swing trade. */
const VALID_CANDLES: Record<Timeframe, number> = {
  "1m": 15,
  "5m": 6,
  "15m": 4,
  "30m": 4,
  "1h": 4,
  "4h": 3,
  "1d": 2,
};

/** End of the entry window in Unix milliseconds. `lastCandleAt` is the close of the last candle. */
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

/** Omitted fields match all signals. */
export const historyFilterSchema = z
  .object({
    symbol: symbolPartSchema,
    signal: signalKindSchema,
    outcome: historyOutcomeSchema.meta({
      description: "`PENDING`: trades without an outcome. A WAIT is no trade",
    }),
    timeframe: timeframeSchema,
    origin: signalOriginSchema,
    since: z.iso.datetime().meta({ description: "Made at this time or later" }),
    until: z.iso.datetime().meta({ description: "Made before this time" }),
  })
  .partial();

/** Trades of the user that were filled and have ended. Signals of one analysis are one trade. */
export const historyTotalsSchema = z
  .object({
    signals: z.number().int(),
    trades: z.number().int(),
    wins: z.number().int(),
    /** Share of trades with a result above 0, with its 95% interval; null without trades. */
    win_rate: z.object({ value: z.number(), low: z.number(), high: z.number() }).nullable(),
    /** Sum of the results, net of costs. */
    r: z.number(),
  })
  .meta({ id: "SignalHistoryTotals" });
export type HistoryTotals = z.infer<typeof historyTotalsSchema>;

export type TradeProgress = Pick<SignalResponse, "entry_left" | "filled" | "outcome">;

/** What the market has done with the trade of a signal, without what it has not done yet. */
export const tradeProgressOf = ({ entry_left, filled, outcome }: TradeProgress): TradeProgress => ({
  ...(entry_left && { entry_left }),
  ...(filled && { filled }),
  ...(outcome && { outcome }),
});

/** A signal in the history. Without `zod`, to keep the first load of pages small. */
export function historyItemOf(signal: SignalResponse): HistoryItem {
  const { signal_id, created_at, symbol, timeframe, status, origin, analysis } = signal;
  const calibrated = analysis?.calibrated_confidence;
  return {
    id: signal_id,
    timestamp: created_at,
    symbol,
    timeframe,
    status,
    signal: analysis?.final_signal ?? "WAIT",
    confidence: analysis?.confidence ?? 0,
    ...(typeof calibrated === "number" && { calibrated_confidence: calibrated }),
    entry: analysis?.entry ?? null,
    stop_loss: analysis?.stop_loss ?? null,
    take_profit: analysis?.take_profit ?? null,
    ...(analysis?.valid_until && { valid_until: analysis.valid_until }),
    ...tradeProgressOf(signal),
    rationale: analysis?.raw_ai.rationale ?? "",
    origin,
    ...(analysis?.source.analysis_id && { analysis_id: analysis.source.analysis_id }),
    ...(analysis?.source.demo_record && { demo_record: true }),
    ...(signal.note && { note: signal.note }),
    ...(analysis && analysis.final_signal !== "WAIT" && sizeOf(analysis)),
  };
}

const sizeOf = ({ suggested_units, estimated_dollar_risk }: Analysis) => ({
  suggested_units,
  estimated_dollar_risk,
});

/** A text, or a line for each topic: the rationale of other analysts may be an object. */
export function rationaleContent(rationale: Rationale): string | string[] {
  return typeof rationale === "string" ? rationale : linesOf(rationale);
}

export const rationaleText = (rationale: Rationale): string =>
  [rationaleContent(rationale)].flat().join("\n");

function linesOf(value: object): string[] {
  const isList = Array.isArray(value);
  return Object.entries(value).flatMap(([key, item]) => {
    const text = textOf(item);
    if (text === "") return [];
    return isList ? text : `${topicOf(key)}: ${text}`;
  });
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "object" ? linesOf(value).join("; ") : String(value).trim();
}

/** `market_structure` and `marketStructure` are both `Market structure`. */
function topicOf(key: string): string {
  const words = key
    .replaceAll(/([a-z\d])([A-Z])/g, "$1 $2")
    .replaceAll(/[_-]+/g, " ")
    .trim();
  return words.charAt(0).toUpperCase() + words.slice(1).toLowerCase();
}
