import { z } from "zod";
import { candleSchema, timeframeSchema } from "./candle.ts";
import { resolutionSchema } from "./resolution.ts";
import { analysisSchema } from "./signal.ts";

/**
 * Closed candles since the signal, oldest first, at most 500: those that resolved the trade, or the latest ones while it is
 * open. `judgement` is null while it is open.
 */
export const signalProgressSchema = z
  .object({
    signal_id: z.string(),
    symbol: z.string(),
    timeframe: timeframeSchema,
    judgement: resolutionSchema.nullable(),
    candles: z.array(candleSchema),
    /** Null without a link. */
    shared_at: z.iso.datetime().nullable(),
  })
  .meta({ id: "SignalSince" });
export type SignalProgressResponse = z.infer<typeof signalProgressSchema>;

/** Replaces the previous link. The token is shown only once. */
export const shareLinkSchema = z
  .object({ token: z.string(), shared_at: z.iso.datetime() })
  .meta({ id: "ShareLink" });
export type ShareLink = z.infer<typeof shareLinkSchema>;

/** An analysis without the values that depend on the user's amount. */
export const sharedAnalysisSchema = analysisSchema.omit({
  suggested_units: true,
  estimated_dollar_risk: true,
  required_margin: true,
});

export const sharedSignalSchema = z
  .object({
    symbol: z.string(),
    timeframe: timeframeSchema,
    created_at: z.iso.datetime(),
    analysis: sharedAnalysisSchema,
    /** Candles that the analysis was made from, and those since, oldest first. */
    before: z.array(candleSchema),
    since: z.array(candleSchema),
    judgement: resolutionSchema.nullable(),
  })
  .meta({ id: "SharedSignal" });
export type SharedSignal = z.infer<typeof sharedSignalSchema>;
