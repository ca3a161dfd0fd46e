import { z } from "zod";
import { INSTRUMENT_CLASSES } from "./instruments.ts";
import {
  analystNameSchema,
  marketDataSourceSchema,
  symbolSchema,
  timeframeSchema,
} from "./market-data.ts";
import { resolutionReasonSchema } from "./resolution.ts";
import { outcomeSchema, signalKindSchema } from "./signal.ts";

/** Maximum points of the equity curve. */
export const MAX_EQUITY_POINTS = 500;

export const PERFORMANCE_PERIODS = ["7d", "30d", "90d", "365d", "all"] as const;
export type PerformancePeriod = (typeof PERFORMANCE_PERIODS)[number];

/** Live and demo data are never combined. */
export const performanceQuerySchema = z
  .object({
    symbol: symbolSchema.optional(),
    class: z.enum(INSTRUMENT_CLASSES).optional(),
    timeframe: timeframeSchema.optional(),
    analyst: analystNameSchema.optional(),
    version: z
      .string()
      .min(1)
      .max(100)
      .optional()
      .meta({ description: "A version of the analyst, such as `rules/1`; needs `analyst`" }),
    model: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .meta({ description: "A model, as `analysis.source.model` names it" }),
    period: z
      .enum(PERFORMANCE_PERIODS)
      .default("all")
      .meta({ description: "Days up to today, UTC, by when a signal ended" }),
    data: marketDataSourceSchema
      .default("live")
      .meta({ description: "`replay` is the record of the demo data" }),
  })
  .refine(({ version, analyst }) => version === undefined || analyst !== undefined, {
    path: ["version"],
    error: "Choose the analyst that this is a version of.",
  });
export type PerformanceQuery = z.infer<typeof performanceQuerySchema>;

/** One analyst version with one model. */
export const analystRecordQuerySchema = z.object({
  analyst: analystNameSchema,
  version: z.string().min(1).max(100),
  model: z.string().min(1).max(200),
  data: marketDataSourceSchema.default("live"),
});
export type AnalystRecordQuery = z.infer<typeof analystRecordQuerySchema>;

export const EXPORT_FORMATS = ["csv", "json"] as const;
export const performanceExportQuerySchema = performanceQuerySchema.safeExtend({
  format: z.enum(EXPORT_FORMATS).default("csv"),
});
export type PerformanceExportQuery = z.infer<typeof performanceExportQuerySchema>;

const count = z.number().int().nonnegative();
const share = z.number().min(0).max(1);

/** A value with its 95 % interval, which accounts for overlapping trades. */
const estimateSchema = z.object({ value: z.number(), low: z.number(), high: z.number() });

/**
 * Decided trades were filled and then hit target or stop. Expired ones were filled and closed at the hold limit. Pending
 * ones are counted at present, whatever the period.
 */
const performanceCountsSchema = z.object({
  decided: count,
  wins: count,
  losses: count,
  expired: count,
  not_filled: count,
  waits: count,
  failed: count,
  pending: count,
});
export type PerformanceCounts = z.infer<typeof performanceCountsSchema>;

/** Null if the trades are too few, or too close in time for an interval. */
const winFigures = {
  /** Of the decided signals. */
  win_rate: estimateSchema.nullable(),
  /** Baseline win rate of the same signals: that of a driftless price with the same levels. */
  no_edge_rate: share.nullable(),
  /**
   * Edge: mean score of the closed trades minus their baseline win rate. A win scores 1, a loss 0, and an expired trade the
   * position of its exit between stop and target.
   */
  lift: estimateSchema.nullable(),
};

/** Decided signals of a confidence range in percent. `stated` is their mean confidence. */
const confidenceBucketSchema = z.object({
  from: z.number(),
  to: z.number(),
  decided: count,
  wins: count,
  stated: z.number(),
  won: z.number(),
  ...winFigures,
});
export type ConfidenceBucketMetrics = z.infer<typeof confidenceBucketSchema>;

/** How well the stated chances say what happens. */
const skillFigures = {
  /** Brier score of the baseline win rates, stop distance / (stop distance + target distance), for the same signals. */
  baseline_brier: share.nullable(),
  /** 1 − Brier score / `baseline_brier`: 0 if the stated chances are no better than the levels alone. */
  brier_skill: estimateSchema.nullable(),
};

/** Scores are null while there are too few decided signals. */
const reliabilitySchema = z.object({
  decided: count,
  brier: share.nullable(),
  ...skillFigures,
  ece: share.nullable(),
  buckets: z.array(confidenceBucketSchema),
});
export type Reliability = z.infer<typeof reliabilitySchema>;

export const MAX_ACTIVITY = 20;

/** A trade that is over, as the ledger has it. */
const activityItemSchema = z.object({
  /** Number of its outcome in the ledger. */
  seq: z.number().int().positive(),
  symbol: z.string(),
  timeframe: timeframeSchema,
  signal: signalKindSchema.exclude(["WAIT"]),
  /** In the quote currency. */
  entry: z.number(),
  stop_loss: z.number(),
  take_profit: z.number(),
  outcome: outcomeSchema,
  /** Null if the trade was never entered, or that is not known. */
  r_multiple: z.number().nullable(),
  reason: resolutionReasonSchema,
  resolved_at: z.iso.datetime(),
});

/** Newest first. Demo data only while there is no other. */
export const activitySchema = z
  .object({
    data: z.enum(["live", "replay"]),
    items: z.array(activityItemSchema).max(MAX_ACTIVITY),
  })
  .meta({ id: "Activity" });
export type Activity = z.infer<typeof activitySchema>;

/** What an analysis takes. Null while none was measured. */
const usageFigures = {
  /** Mean tokens of an analysis, with all its calls. */
  prompt_tokens: z.number().nonnegative().nullable(),
  completion_tokens: z.number().nonnegative().nullable(),
  /** Mean cost of an analysis in US dollars; null if the price of the model was not set. */
  cost_usd: z.number().nonnegative().nullable(),
  /** Median time until the analyst's answer, to two digits. */
  latency_ms: z.number().nonnegative().nullable(),
};

/**
 * What WAITs would have done, which is in no other figure: the trades that they rejected, with their own levels or those
 * of the rules, resolved like trades. Null while they are too few.
 */
const waitFigures = z.object({
  judged: count,
  not_filled: count,
  total_r: z.number(),
  expectancy_r: estimateSchema.nullable(),
  lift: estimateSchema.nullable(),
});
export type WaitMetrics = z.infer<typeof waitFigures>;

const analystModelSchema = z.object({
  analyst: z.string(),
  version: z.string(),
  model: z.string(),
});
export type AnalystModel = z.infer<typeof analystModelSchema>;

const modelUsageSchema = analystModelSchema.extend({ analyses: count, ...usageFigures });
export type ModelUsage = z.infer<typeof modelUsageSchema>;

/** Rates are 0 to 1, results in R (distance from entry to stop). */
export const performanceSchema = z
  .object({
    /** First day of the period; null for the whole record. */
    since: z.iso.date().nullable(),
    updated_at: z.iso.datetime().nullable(),
    /** The chosen model, or the only one of the selected signals; null if there are several or none. */
    model: z.string().nullable(),
    counts: performanceCountsSchema,
    ...winFigures,
    /** The edge at which the result after costs is 0. */
    break_even_edge: z.number().nullable(),
    /** Contains the true edge with 95 % confidence however often one looks, so it is wider than `lift`. */
    edge_bounds: z.object({ low: z.number(), high: z.number() }).nullable(),
    /** Closed trades until the bounds are expected to exclude `break_even_edge`; null for more than a million. */
    more_trades_to_know: count.nullable(),
    ...skillFigures,
    /** Closed trades: decided or expired. */
    trades: count,
    effective_trades: count,
    expectancy_r: estimateSchema.nullable(),
    profit_factor: z.number().nullable(),
    max_drawdown_r: z.number().nullable(),
    total_r: z.number(),
    equity: z.array(z.object({ at: z.iso.datetime(), r: z.number() })).max(MAX_EQUITY_POINTS),
    confidence: reliabilitySchema,
    /** The same for the calibrated confidence, which is always out of sample. */
    calibrated: reliabilitySchema,
    waits: waitFigures,
    ...usageFigures,
    /** The analysts, versions and models of the selected signals. */
    models: z.array(modelUsageSchema),
    /** Values to filter by. */
    recorded: z.object({
      symbols: z.array(z.string()),
      analysts: z.array(analystModelSchema),
    }),
  })
  .meta({ id: "Performance" });
export type Performance = z.infer<typeof performanceSchema>;

/** Part of a record, of which nothing is claimed. */
const recordPartFigures = performanceSchema.pick({
  counts: true,
  trades: true,
  effective_trades: true,
  lift: true,
  break_even_edge: true,
  edge_bounds: true,
  more_trades_to_know: true,
  expectancy_r: true,
  brier_skill: true,
});

/** Those with signals. */
export const recordPartsSchema = z
  .object({
    classes: z.array(recordPartFigures.extend({ class: z.enum(INSTRUMENT_CLASSES) })),
    timeframes: z.array(recordPartFigures.extend({ timeframe: timeframeSchema })),
  })
  .meta({ id: "RecordParts" });
export type RecordParts = z.infer<typeof recordPartsSchema>;
export type RecordPart = z.infer<typeof recordPartFigures>;
