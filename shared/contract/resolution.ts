import { z } from "zod";
import { CLASS_FACTS, INSTRUMENT_CLASSES } from "./instruments.ts";
import { candleSchema, timeframeSchema } from "./market-data.ts";
import { analysisSchema, outcomeSchema } from "./signal.ts";

export const MAX_COST_PERCENT = 5;

const percentSchema = z.number().min(0).max(MAX_COST_PERCENT);

/** Costs of trading a market, in percent of the price. */
export const tradingCostsSchema = z.strictObject({
  /** Bid-ask spread; half of it is paid at the entry, half at the exit. */
  spread_percent: percentSchema,
  /** Paid at the entry and again at the exit. */
  commission_percent: percentSchema,
});
export type TradingCosts = z.infer<typeof tradingCostsSchema>;

export const tradingCostTableSchema = z.record(z.enum(INSTRUMENT_CLASSES), tradingCostsSchema);
export type TradingCostTable = Readonly<z.infer<typeof tradingCostTableSchema>>;

export const DEFAULT_TRADING_COSTS: TradingCostTable = tradingCostTableSchema.parse(
  Object.fromEntries(INSTRUMENT_CLASSES.map((name) => [name, CLASS_FACTS[name].costs])),
);

/** Costs of entry and exit at one price, in percent of it. */
export function roundTripPercent({ spread_percent, commission_percent }: TradingCosts): number {
  return spread_percent + 2 * commission_percent;
}

/** Costs of one unit in the quote currency. */
export function tradeCost(
  { fill, exit }: { fill: number; exit: number },
  costs: TradingCosts,
): number {
  return ((fill + exit) / 2) * (roundTripPercent(costs) / 100);
}

/** What ended a trade: target, stop, both in one shortest candle, hold limit, no fill, or no candles any more. */
export const resolutionReasonSchema = z.enum([
  "target",
  "stop",
  "both",
  "hold-over",
  "not-filled",
  "no-data",
]);

/**
 * Resolution of a BUY or a SELL. Prices are in the quote currency; R is the distance from entry to stop. `r_multiple`
 * is net of `costs`; both excursions are at least 0.
 */
export const resolutionSchema = z.object({
  outcome: outcomeSchema,
  reason: resolutionReasonSchema.meta({
    description:
      "`both`: stop and target in one candle, the stop counts. `no-data`: no candles for 24 hours after the hold limit, " +
      "closed at the last known close",
  }),
  resolved_at: z.iso.datetime(),
  filled_at: z.iso.datetime().nullable(),
  fill: z.number().nullable(),
  exited_at: z.iso.datetime().nullable(),
  exit: z.number().nullable(),
  r_multiple: z.number().nullable(),
  max_favourable_r: z.number().nullable(),
  max_adverse_r: z.number().nullable(),
  costs: tradingCostsSchema,
  provider: z.string().optional().meta({
    description:
      "The provider that decided in place of that of the analysis, with `provider_changed`",
  }),
  provider_changed: z.literal(true).optional().meta({
    description:
      "Present if the provider of the analysis gave no candles for 24 hours, so that another one decided",
  }),
  provider_changed_at: z.iso.datetime().optional().meta({
    description:
      "Close of the last candle of the provider of the analysis, with `provider_changed`",
  }),
  known_until: z.iso.datetime().optional().meta({
    description: "Close of the last known candle, with the reason `no-data`",
  }),
});
export type Resolution = z.infer<typeof resolutionSchema>;

/** When visitors see a shared signal: `now`, after the trade's `outcome`, or from a time on. */
export const sharedFromSchema = z.union([z.enum(["now", "outcome"]), z.iso.datetime()]);
export type SharedFrom = z.infer<typeof sharedFromSchema>;

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
    /** When visitors see what a link of the signal shows. Servers of earlier versions do not say it. */
    shared_from: sharedFromSchema.optional(),
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

/** An open trade whose side and levels visitors do not see yet. */
export const withheldSignalSchema = z
  .object({
    symbol: z.string(),
    timeframe: timeframeSchema,
    created_at: z.iso.datetime(),
    shared_from: sharedFromSchema,
  })
  .meta({ id: "WithheldSignal" });
export type WithheldSignal = z.infer<typeof withheldSignalSchema>;

/** What a link shows. */
export const sharedViewSchema = z
  .union([sharedSignalSchema, withheldSignalSchema])
  .meta({ id: "SharedView" });
export type SharedView = z.infer<typeof sharedViewSchema>;
