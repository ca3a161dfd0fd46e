import { zodResponseFormat } from "openai/helpers/zod";
import { z } from "zod";
import { adviceSchema } from "../analyst.ts";

/** Advice with what the model reads off a picture, which comes first: it is evidence. */
export const chartAdviceSchema = z.object({
  chart_symbol: z.string().nullable(),
  chart_last_price: z.number().nullable(),
  chart_timeframe: z.string().nullable(),
  ...adviceSchema.shape,
});

const ADVICE_FORMAT = zodResponseFormat(adviceSchema, "advice");
const CHART_ADVICE_FORMAT = zodResponseFormat(chartAdviceSchema, "advice");

export const adviceFormat = (chartImage: string | undefined) =>
  chartImage === undefined ? ADVICE_FORMAT : CHART_ADVICE_FORMAT;
