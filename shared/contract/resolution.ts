import { z } from "zod";
import { outcomeSchema } from "./signal.ts";
import { tradingCostsSchema } from "./trading-costs.ts";

/** What ended a trade: target, stop, both in one shortest candle, hold limit, or no fill. */
const resolutionReasonSchema = z.enum(["target", "stop", "both", "hold-over", "not-filled"]);

/**
 * Resolution of a BUY or a SELL. Prices are in the quote currency; R is the distance from entry to stop. `r_multiple`
 * is net of `costs`; both excursions are at least 0.
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
