import { z } from "zod";
import { timeframeSchema } from "./market-data.ts";

const count = z.number().int().nonnegative();

/** A value with an interval that holds at every look; null if the trades are too few. */
const estimateSchema = z.object({ value: z.number(), low: z.number(), high: z.number() });

/** The ends are null while the trades are too few for an interval, the value while there are none. */
const differenceSchema = z.object({
  value: z.number().nullable(),
  low: z.number().nullable(),
  high: z.number().nullable(),
});
export type BenchDifference = z.infer<typeof differenceSchema>;

/** An arm is one way to make analyses: an analyst with its model, evidence and samples. */
const benchArmSchema = z.object({
  id: z.string(),
  label: z.string(),
  analyst: z.enum(["openai", "rules"]),
  model: z.string(),
  version: z.string(),
  /** Since when it is configured like this; an arm that changes starts again. */
  since: z.iso.datetime(),
  /** Made at the close of a candle, and not failed. */
  analyses: count,
  /** Trades that were won or lost. */
  decided: count,
  failed: count,
  /** Mean result of the closed trades in R, after costs. */
  expectancy_r: estimateSchema.nullable(),
  /** Mean score of the closed trades less that of a driftless price. */
  edge: estimateSchema.nullable(),
  /** 1 − Brier score ÷ that of the chance that follows from the levels: more than 0 is better than the levels say. */
  brier_skill: estimateSchema.nullable(),
  /** US dollars; null if the price of the model is not set. */
  cost_per_analysis_usd: z.number().nonnegative().nullable(),
  latency_ms: z.object({ p50: z.number().nullable(), p95: z.number().nullable() }),
});
export type BenchArm = z.infer<typeof benchArmSchema>;

/** Two arms on the same candles: `a` less `b`. A candle without a trade counts as 0 R. */
const benchPairSchema = z.object({
  a: z.string(),
  b: z.string(),
  /** Candles that both judged, at which at least one of them had a trade that is over. */
  common: count,
  difference_r: differenceSchema,
  difference_brier: differenceSchema,
  /** The interval of `difference_r` excludes 0. */
  conclusive: z.boolean(),
});
export type BenchPair = z.infer<typeof benchPairSchema>;

export const benchSchema = z
  .object({ arms: z.array(benchArmSchema), pairs: z.array(benchPairSchema) })
  .meta({ id: "Bench" });
export type Bench = z.infer<typeof benchSchema>;

/** Most points of a curve. */
export const MAX_BENCH_POINTS = 200;

/** What the pages show beside the figures. */
export const benchDetailsSchema = z
  .object({
    /** Made of recorded candles, to show the product. */
    is_demo: z.boolean(),
    updated_at: z.iso.datetime().nullable(),
    markets: z.array(z.object({ symbol: z.string(), timeframe: timeframeSchema })),
    arms: z.array(
      z.object({
        id: z.string(),
        is_baseline: z.boolean(),
        waits: count,
        pending: count,
        /** Numbers of its first and last ledger records. */
        first_record: z.number().int().positive().nullable(),
        last_record: z.number().int().positive().nullable(),
        /** Cumulative R of its trades by the day of their candle, with a band that holds at every look. */
        curve: z
          .array(
            z.object({
              day: z.iso.date(),
              r: z.number(),
              low: z.number().nullable(),
              high: z.number().nullable(),
            }),
          )
          .max(MAX_BENCH_POINTS),
      }),
    ),
    pairs: z.array(
      z.object({
        a: z.string(),
        b: z.string(),
        /** About how many more common candles it takes to know; null if it cannot be said. */
        more_needed: count.nullable(),
      }),
    ),
  })
  .meta({ id: "BenchDetails" });
export type BenchDetails = z.infer<typeof benchDetailsSchema>;

/** `failing`: its last analyses failed. `budget`: it waits for the next day. */
export const BENCH_ARM_STATES = ["waiting", "running", "failing", "budget"] as const;

/** For administrators. */
export const adminBenchSchema = z
  .object({
    is_configured: z.boolean(),
    budget_usd_per_day: z.number().nullable(),
    spent_today_usd: z.number(),
    /** Id of the arm that is the analyst of the product; null if that is the one of the settings. */
    analyst: z.string().nullable(),
    arms: z.array(
      z.object({
        id: z.string(),
        label: z.string(),
        analyst: z.string(),
        model: z.string(),
        version: z.string(),
        is_baseline: z.boolean(),
        state: z.enum(BENCH_ARM_STATES),
        /** Why its last analysis failed. */
        failure: z.string().nullable(),
        last_at: z.iso.datetime().nullable(),
        spent_today_usd: z.number(),
        /** Whether it can become the analyst of the product. */
        may_be_analyst: z.boolean(),
      }),
    ),
  })
  .meta({ id: "AdminBench" });
export type AdminBench = z.infer<typeof adminBenchSchema>;

/** `arm` is its id; null for the analyst of the settings. */
export const analystChoiceSchema = z
  .object({ arm: z.string().min(1).max(64).nullable() })
  .meta({ id: "AnalystChoice" });
