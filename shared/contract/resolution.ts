import { z } from "zod";
import { outcomeSchema } from "./signal.ts";
import { tradingCostsSchema } from "./trading-costs.ts";

/** What ended a signal: its target, its stop, both within one shortest candle, its hold time, or no fill at all. */
export const resolutionReasonSchema = z.enum(["target", "stop", "both", "hold-over", "not-filled"]);
export type ResolutionReason = z.infer<typeof resolutionReasonSchema>;

/**
 * How the market judged a BUY or a SELL. Prices are in the quote currency; R is the distance from entry to stop.
 * `r_multiple` is net of the trading costs in `costs`; excursions are the best and worst of the trade in R, both at
 * least 0.
 */
export const resolutionSchema = z.object({
  outcome: outcomeSchema,
  reason: resolutionReasonSchema,
  resolved_at: z.iso.datetime(),
  filled_at: z.iso.datetime().nullable(),
  fill: z.number().nullable(),
  exited_at: z.iso.datetime().nullable(),
  exit: z.number().nullable(),
  r_multiple: z.number().nullable(),
  max_favourable_r: z.number().nullable(),
  max_adverse_r: z.number().nullable(),
  costs: tradingCostsSchema,
});
export type Resolution = z.infer<typeof resolutionSchema>;
