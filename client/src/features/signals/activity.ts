import { queryOptions } from "@tanstack/react-query";
import * as z from "zod/mini";
import { readPublic } from "../../lib/public-api.ts";

/** The response of `GET /activity`, in the light variant of zod. */
const activitySchema = z.object({
  data: z.enum(["live", "replay"]),
  items: z.array(
    z.object({
      seq: z.number(),
      symbol: z.string(),
      timeframe: z.string(),
      signal: z.enum(["BUY", "SELL"]),
      entry: z.number(),
      stop_loss: z.number(),
      take_profit: z.number(),
      outcome: z.enum(["WIN", "LOSS", "EXPIRED"]),
      r_multiple: z.nullable(z.number()),
      reason: z.string(),
      resolved_at: z.string(),
    }),
  ),
});
export type EndedTrade = z.infer<typeof activitySchema>["items"][number];

export const POLL_INTERVAL_MS = 60_000;

/** The last trades that are over. */
export const activityQuery = queryOptions({
  queryKey: ["activity"],
  queryFn: ({ signal }) => readPublic({ path: "/activity", schema: activitySchema, signal }),
  staleTime: POLL_INTERVAL_MS,
});
