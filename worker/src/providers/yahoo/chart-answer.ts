import { type Candle, candleSchema } from "@shared/contract/candle.ts";
import { z } from "zod";

const column = z.array(z.number().nullable()).optional();

const resultSchema = z.object({
  meta: z.object({ regularMarketTime: z.number().optional().catch(undefined) }).optional(),
  timestamp: z.array(z.number()).optional(),
  indicators: z.object({
    quote: z.array(
      z.object({ open: column, high: column, low: column, close: column, volume: column }),
    ),
  }),
});

const chartSchema = z.object({
  chart: z.object({
    result: z.array(resultSchema).nullish(),
    error: z.object({ code: z.string().optional(), description: z.string().optional() }).nullish(),
  }),
});

/** What a chart answer says: rows, oldest first, or why there are none. */
export type ChartAnswer =
  | { kind: "rows"; rows: Candle[]; quotedAt: number | undefined }
  | { kind: "error"; code: string };

/**
 * Reads an answer of the chart endpoint. Rows of times without trades come as nulls and are left out, and so are
 * rows that are no candle. `quotedAt` is the time of the last quote, Unix milliseconds.
 * @returns undefined for anything that is no answer of that endpoint
 */
export function readChart(body: unknown): ChartAnswer | undefined {
  const parsed = chartSchema.safeParse(body);
  if (!parsed.success) return undefined;
  const { result, error } = parsed.data.chart;
  if (error) return { kind: "error", code: error.code ?? "" };
  const [chart] = result ?? [];
  if (!chart) return undefined;
  const quotedAt = chart.meta?.regularMarketTime;
  return {
    kind: "rows",
    rows: rowsOf(chart),
    quotedAt: quotedAt === undefined ? undefined : quotedAt * 1_000,
  };
}

function rowsOf({ timestamp = [], indicators }: z.infer<typeof resultSchema>): Candle[] {
  const [quote] = indicators.quote;
  return timestamp.flatMap((seconds, index) => {
    const row = {
      time: seconds * 1_000,
      open: shortest(quote?.open?.[index]),
      high: shortest(quote?.high?.[index]),
      low: shortest(quote?.low?.[index]),
      close: shortest(quote?.close?.[index]),
      volume: quote?.volume?.[index] ?? 0,
    };
    return candleSchema.safeParse(row).data ?? [];
  });
}

/** Decimal digits that tell any two numbers of single precision apart. */
const SINGLE_DIGITS = { fewest: 6, most: 9 } as const;

/**
 * Prices are sent in single precision, so that 2034.2 comes as 2034.199951171875: this gives the shortest number
 * that is the same in single precision. Any other number stays as it is.
 */
export function shortest(price: number | null | undefined): number | null {
  if (price === null || price === undefined) return null;
  if (Math.fround(price) !== price) return price;
  for (let digits: number = SINGLE_DIGITS.fewest; digits < SINGLE_DIGITS.most; digits += 1) {
    const short = Number(price.toPrecision(digits));
    if (Math.fround(short) === price) return short;
  }
  return price;
}
