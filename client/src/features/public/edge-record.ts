import * as z from "zod/mini";

/**
 * The part of `GET /performance` that states the edge.
 *
 * In the light variant of zod, as the home page reads it: its first load stays small.
 */
export const edgeRecordSchema = z.object({
  /** Closed trades. */
  trades: z.number(),
  effective_trades: z.number(),
  lift: z.nullable(z.object({ value: z.number(), low: z.number(), high: z.number() })),
});
export type EdgeRecord = z.infer<typeof edgeRecordSchema>;
