import { z } from "zod";
import { timeframeSchema } from "./candle.ts";
import { INSTRUMENT_CLASSES } from "./instruments.ts";
import { symbolSchema } from "./signal.ts";
import { analystNameSchema, marketDataSourceSchema } from "./status.ts";

/** Points of the equity curve at most. */
export const EQUITY_POINTS = 500;

export const PERFORMANCE_PERIODS = ["7d", "30d", "90d", "365d", "all"] as const;
export type PerformancePeriod = (typeof PERFORMANCE_PERIODS)[number];

/** Query of `GET /performance`; what is left out does not matter, but live and demo data are never added up. */
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

const count = z.number().int().nonnegative();
const share = z.number().min(0).max(1);

/** A figure with its 95 % interval, which allows for trades that were open at the same time. */
export const estimateSchema = z.object({ value: z.number(), low: z.number(), high: z.number() });
export type EstimateFigure = z.infer<typeof estimateSchema>;

/**
 * What became of the signals. Decided is won or lost: filled, and then target or stop was touched. An expired one was
 * filled and closed when its time was over; pending ones are counted as they stand now, whatever the period.
 */
export const performanceCountsSchema = z.object({
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

/** Null while the trades are too few, or too close together in time for an interval. */
const winFigures = {
  /** Share of the decided signals that won. */
  win_rate: estimateSchema.nullable(),
  /** Baseline win rate of the closed trades: that of a driftless price with the same levels. */
  no_edge_rate: share.nullable(),
  /**
   * Edge: mean score of the closed trades less their baseline win rate. A win scores 1, a loss 0, and an expired trade
   * the position of its exit between stop and target.
   */
  lift: estimateSchema.nullable(),
};

/** Decided signals of one range of confidence, in percent; `stated` is the mean of what was said. */
export const confidenceBucketSchema = z.object({
  from: z.number(),
  to: z.number(),
  decided: count,
  wins: count,
  stated: z.number(),
  won: z.number(),
  ...winFigures,
});
export type ConfidenceBucketFigures = z.infer<typeof confidenceBucketSchema>;

/** How far stated chances can be believed; `brier` and `ece` are null while decided signals are too few. */
export const reliabilitySchema = z.object({
  decided: count,
  brier: share.nullable(),
  ece: share.nullable(),
  buckets: z.array(confidenceBucketSchema),
});
export type Reliability = z.infer<typeof reliabilitySchema>;

/** Answer of `GET /performance`; rates are 0–1, results in R, the distance from entry to stop. */
export const performanceSchema = z
  .object({
    /** First day that counts; null for the whole record. */
    since: z.iso.date().nullable(),
    updated_at: z.iso.datetime().nullable(),
    counts: performanceCountsSchema,
    ...winFigures,
    /** Trades that were closed: decided or expired. */
    trades: count,
    /** Number of independent trades that they are equivalent to: the effective sample size of the edge. */
    effective_trades: count,
    expectancy_r: estimateSchema.nullable(),
    profit_factor: z.number().nullable(),
    max_drawdown_r: z.number().nullable(),
    total_r: z.number(),
    equity: z.array(z.object({ at: z.iso.datetime(), r: z.number() })).max(EQUITY_POINTS),
    confidence: reliabilitySchema,
    /** Likewise for the confidence that was corrected when the signal was made: always out of sample. */
    calibrated: reliabilitySchema,
    /** What there is a record of, to be chosen from. */
    recorded: z.object({
      symbols: z.array(z.string()),
      analysts: z.array(z.object({ analyst: z.string(), version: z.string() })),
    }),
  })
  .meta({ id: "Performance" });
export type Performance = z.infer<typeof performanceSchema>;
