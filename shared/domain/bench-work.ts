import { timeframeSchema } from "@shared/contract/market-data.ts";
import { z } from "zod";
import { type NewWork, workId } from "../work/work-item.ts";

/** The kind of the work items that make the analyses of all arms for one candle. */
export const BENCH_ANALYSES = "bench-analyses";

export const benchWorkDataSchema = z.object({
  symbol: z.string(),
  timeframe: timeframeSchema,
  closedAt: z.iso.datetime(),
});

/** One item for a candle of a market. */
export function benchWork(
  data: z.infer<typeof benchWorkDataSchema>,
  options: { dueAt: Date },
): NewWork {
  const { symbol, timeframe, closedAt } = data;
  const id = workId(BENCH_ANALYSES, `${symbol} ${timeframe} ${closedAt}`);
  return { kind: BENCH_ANALYSES, id, data, ...options };
}
