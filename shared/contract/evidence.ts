import { z } from "zod";

/** A part of what the analyst was given. `known_at` is never later than the close of the analysed candle. */
export const evidenceItemSchema = z
  .object({
    key: z.string(),
    text: z.string(),
    known_at: z.iso.datetime(),
    source: z.string(),
  })
  .meta({ id: "EvidenceItem" });
export type EvidenceItem = z.infer<typeof evidenceItemSchema>;

/** In the order in which the analyst was given them. */
export const evidenceSchema = z
  .object({
    analysis_id: z.string(),
    items: z.array(evidenceItemSchema),
    /** What it was given of the chart image, after the items. Absent without one that was read. */
    chart_image: z.string().optional(),
  })
  .meta({ id: "Evidence" });
export type Evidence = z.infer<typeof evidenceSchema>;
