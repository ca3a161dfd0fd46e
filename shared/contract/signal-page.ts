import { z } from "zod";
import { candleSchema, timeframeSchema } from "./candle.ts";
import { resolutionSchema } from "./resolution.ts";
import { analysisSchema } from "./signal.ts";

/**
 * Response of `GET /signals/{id}/since`: up to 500 closed candles since the signal, oldest first, and its resolution,
 * null while it is open. Of a resolved signal they are those that resolved it.
 */
export const signalSinceSchema = z.object({
  signal_id: z.string(),
  symbol: z.string(),
  timeframe: timeframeSchema,
  judgement: resolutionSchema.nullable(),
  candles: z.array(candleSchema),
  /** When the share link was created; null without one. */
  shared_at: z.iso.datetime().nullable(),
});
export type SignalSince = z.infer<typeof signalSinceSchema>;

/** Response of `POST /signals/{id}/share`. The token is shown once, and replaces the previous one. */
export const shareLinkSchema = z.object({ token: z.string(), shared_at: z.iso.datetime() });
export type ShareLink = z.infer<typeof shareLinkSchema>;

/** The analysis without the user's position size. */
export const sharedAnalysisSchema = analysisSchema.omit({
  suggested_units: true,
  estimated_dollar_risk: true,
  required_margin: true,
});

/** Response of `GET /shared/{token}`. */
export const sharedSignalSchema = z.object({
  symbol: z.string(),
  timeframe: timeframeSchema,
  created_at: z.iso.datetime(),
  analysis: sharedAnalysisSchema,
  /** The candles of the analysis, and those since, oldest first. */
  before: z.array(candleSchema),
  since: z.array(candleSchema),
  judgement: resolutionSchema.nullable(),
});
export type SharedSignal = z.infer<typeof sharedSignalSchema>;
