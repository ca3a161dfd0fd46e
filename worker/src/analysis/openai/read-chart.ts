import { z } from "zod";
import { UnreadableReplyError } from "../analyst.ts";
import { CHART_PATTERNS, type ChartReading } from "../check-chart.ts";
import { readAnswer } from "./find-answer.ts";
import { level, list, words } from "./reply-fields.ts";

/** As the model is asked for it. */
export const chartSchema = z.object({
  chart_symbol: z.string().nullable(),
  chart_last_price: z.number().nullable(),
  chart_timeframe: z.string().nullable(),
  chart_lines: z.array(z.number()),
  chart_patterns: z.array(z.enum(CHART_PATTERNS)),
});

const prices = z
  .unknown()
  .optional()
  .transform((value) => (Array.isArray(value) ? value : []).flatMap(priceIn));

function priceIn(value: unknown): number[] {
  const read = level.safeParse(value).data ?? 0;
  return read > 0 ? [read] : [];
}

const patterns = list.transform((names) =>
  CHART_PATTERNS.filter((pattern) => names.some((name) => plain(name) === pattern)),
);

const plain = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z]+/g, " ")
    .trim();

/** Fields that are missing or cannot be understood are not read; others, such as a signal, are ignored. */
const repliedChartSchema = z
  .object({
    chart_symbol: words,
    chart_last_price: level.catch(null),
    chart_timeframe: words,
    chart_lines: prices,
    chart_patterns: patterns,
  })
  .transform(
    (read): ChartReading => ({
      symbol: read.chart_symbol,
      lastPrice: read.chart_last_price,
      timeframe: read.chart_timeframe,
      lines: read.chart_lines,
      patterns: read.chart_patterns,
    }),
  );

/** What a reply says of a chart image; null if it is no answer. */
export function readChart(rawReply: string): ChartReading | null {
  try {
    return readAnswer(rawReply, "chart_symbol", ({ object }) => repliedChartSchema.parse(object));
  } catch (error) {
    if (error instanceof UnreadableReplyError || error instanceof z.ZodError) return null;
    throw error;
  }
}
