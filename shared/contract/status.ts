import { z } from "zod";

export const marketDataSourceSchema = z.enum(["live", "replay"]);
export type MarketDataSource = z.infer<typeof marketDataSourceSchema>;

export const analystNameSchema = z.enum(["openai", "rules"]);
export type AnalystName = z.infer<typeof analystNameSchema>;

/** Sources of a signal that is requested now. */
export const statusSchema = z
  .object({
    market_data: marketDataSourceSchema,
    analyst: analystNameSchema,
    version: z.string(),
    /** Markets whose live prices are polled because the WebSocket of their exchange is lost; absent without any. */
    lost_price_feeds: z.number().int().positive().optional(),
  })
  .meta({ id: "Status" });
export type Status = z.infer<typeof statusSchema>;
