import { z } from "zod";
import { candleSchema, timeframeSchema } from "./candle.ts";
import { resolutionSchema } from "./resolution.ts";
import { analysisSchema } from "./signal.ts";

/**
 * Answer of `GET /signals/{id}/since`: the closed candles since a signal was made, oldest first, 500 at most, and how it
 * was judged; `judgement` is null while that is open. Of a judged signal they are those that it was judged by.
 */
export const signalSinceSchema = z
  .object({
    signal_id: z.string(),
    symbol: z.string(),
    timeframe: timeframeSchema,
    judgement: resolutionSchema.nullable(),
    candles: z.array(candleSchema),
    /** Since when whoever has its link can see the signal; null where nobody can. */
    shared_at: z.iso.datetime().nullable(),
  })
  .meta({ id: "SignalSince" });
export type SignalSince = z.infer<typeof signalSinceSchema>;

/** Answer of `POST /signals/{id}/share`; the token is shown this once, and replaces the one before. */
export const shareLinkSchema = z
  .object({ token: z.string(), shared_at: z.iso.datetime() })
  .meta({ id: "ShareLink" });
export type ShareLink = z.infer<typeof shareLinkSchema>;

/** What a signal says without what it says of its user: his stake, and what follows from it. */
export const sharedAnalysisSchema = analysisSchema.omit({
  suggested_units: true,
  estimated_dollar_risk: true,
  required_margin: true,
});

/** Answer of `GET /shared/{token}`: a signal as its owner shows it to others. */
export const sharedSignalSchema = z
  .object({
    symbol: z.string(),
    timeframe: timeframeSchema,
    created_at: z.iso.datetime(),
    analysis: sharedAnalysisSchema,
    /** The candles that it was made from, and those since, oldest first. */
    before: z.array(candleSchema),
    since: z.array(candleSchema),
    judgement: resolutionSchema.nullable(),
  })
  .meta({ id: "SharedSignal" });
export type SharedSignal = z.infer<typeof sharedSignalSchema>;
