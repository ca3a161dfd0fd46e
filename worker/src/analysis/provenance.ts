import { createHash } from "node:crypto";
import type { Candle } from "@shared/contract/candle.ts";
import { analystNameSchema, marketDataSourceSchema } from "@shared/contract/status.ts";
import { type TradingCosts, tradingCostsSchema } from "@shared/contract/trading-costs.ts";
import { z } from "zod";
import type { CandleSeries } from "../market-data/market-data.ts";
import type { Analyst } from "./analyst.ts";
import { memoizeWeak } from "./memoize-weak.ts";
import type { AnalystCall, AnalystCalls } from "./request-advice.ts";
import { stageSchema } from "./stage-timer.ts";

const sha256Schema = z.string().regex(/^[0-9a-f]{64}$/);
const tradingHoursSchema = z.enum(["always", "forex", "futures", "us-stocks"]);
const countSchema = z.number().int().nonnegative();
const tokenUsageSchema = z.object({
  promptTokens: countSchema,
  completionTokens: countSchema,
  /** US dollars; null where the model's price is not known. */
  costUsd: z.number().nonnegative().nullable(),
});

/** One question to the analyst and its reply, word for word. */
const analystCallSchema = z.object({
  prompt: z.string(),
  rawReply: z.string(),
  /** What was wrong with the reply before, as it was sent along. */
  corrections: z.array(z.string()),
  /** What was wrong with this reply; empty when it was accepted. */
  rejectedFor: z.array(z.string()),
  /** Whether the reply was cut off at the token limit; it is the reason in `rejectedFor` then. */
  cutOff: z.literal(true).optional(),
  /** Calls it took, failed ones included. */
  tries: z.number().int().positive(),
  usage: tokenUsageSchema.nullable(),
});

/** How a signal came about, enough for anyone to recompute or dispute it. */
export const signalProvenanceSchema = z.object({
  candles: z.object({
    /** See `hashCandles`. */
    sha256: sha256Schema,
    count: countSchema,
    /** Opening time of the last closed candle. */
    lastTime: z.iso.datetime(),
    provider: z.string(),
    data: marketDataSourceSchema,
    /** What the provider had to say of them; it opens the signal's warnings. */
    notes: z.array(z.string()),
    /** When this provider's market trades and how late it publishes; absent where it never closes. */
    market: z.object({ hours: tradingHoursSchema, delayMs: z.number().nonnegative() }).optional(),
  }),
  /** The moment that delays and warnings refer to. */
  madeAt: z.iso.datetime(),
  /** `none` where the market was closed or its data too old. */
  analyst: z.enum([...analystNameSchema.options, "none"]),
  /** As in the analysis: `openai/<version of the prompt>` or `rules/<n>`. */
  analystVersion: z.string(),
  model: z.string(),
  /** SHA-256 of the chart image's data URL; null without one. */
  chartImageSha256: sha256Schema.nullable(),
  /** Oldest first; the last one decided. Empty where nobody was asked. */
  exchanges: z.array(analystCallSchema),
  /** Tokens of all exchanges; null where the analyst counts none. */
  usage: tokenUsageSchema.nullable(),
  /** What trading the market cost; a trade that they took too much of the risk of became a WAIT. */
  costs: tradingCostsSchema,
  /** USD per unit of the quote currency, where sizing needed a rate of another market. */
  quoteToUsd: z.number().positive().nullable(),
  durationsMs: z.record(stageSchema, z.number().nonnegative()),
});
export type SignalProvenance = z.infer<typeof signalProvenanceSchema>;

/**
 * SHA-256, in hex, of the UTF-8 text `[[time,open,high,low,close,volume],…]`: the candles oldest first, as JSON without
 * blanks, numbers as ECMAScript writes them. In a browser's console it is the hash of
 * `JSON.stringify(candles.map((c) => [c.time, c.open, c.high, c.low, c.close, c.volume]))`.
 */
export const hashCandles = memoizeWeak(hashRows);

function hashRows(candles: readonly Candle[]): string {
  const rows = candles.map((candle) => [
    candle.time,
    candle.open,
    candle.high,
    candle.low,
    candle.close,
    candle.volume,
  ]);
  return sha256(JSON.stringify(rows));
}

/** SHA-256 of a text's UTF-8 bytes, in hex. */
export function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** Puts down how a signal came about. `series` must hold at least one candle. */
export function writeProvenance(options: {
  series: CandleSeries;
  analyst: Analyst;
  costs: TradingCosts;
  /** Unix milliseconds. */
  madeAt: number;
  chartImage: string | undefined;
  consultation: AnalystCalls;
  quoteToUsd: number | undefined;
  durationsMs: SignalProvenance["durationsMs"];
}): SignalProvenance {
  const { series, analyst, costs, madeAt, chartImage, consultation, quoteToUsd, durationsMs } =
    options;
  const { exchanges, last, usage } = consultation;
  return {
    candles: presentCandles(series),
    madeAt: new Date(madeAt).toISOString(),
    analyst: analyst.name,
    analystVersion: analyst.version,
    model: last.reply.model,
    chartImageSha256: chartImage === undefined ? null : sha256(chartImage),
    exchanges: exchanges.map(presentCall),
    usage,
    costs,
    quoteToUsd: quoteToUsd ?? null,
    durationsMs,
  };
}

/** Puts down that nobody was asked, and by which candles. `series` must hold at least one candle. */
export function writeClosedMarketProvenance(options: {
  series: CandleSeries;
  costs: TradingCosts;
  chartImage: string | undefined;
  /** Unix milliseconds. */
  madeAt: number;
  durationsMs: SignalProvenance["durationsMs"];
}): SignalProvenance {
  const { series, costs, chartImage, madeAt, durationsMs } = options;
  return {
    candles: presentCandles(series),
    madeAt: new Date(madeAt).toISOString(),
    analyst: "none",
    analystVersion: "none",
    model: "none",
    chartImageSha256: chartImage === undefined ? null : sha256(chartImage),
    exchanges: [],
    usage: null,
    costs,
    quoteToUsd: null,
    durationsMs,
  };
}

function presentCandles(series: CandleSeries): SignalProvenance["candles"] {
  return {
    sha256: hashCandles(series.candles),
    count: series.candles.length,
    lastTime: new Date(series.candles.at(-1)?.time ?? Number.NaN).toISOString(),
    provider: series.provider,
    data: series.data,
    notes: series.notes,
    ...(series.market && { market: series.market }),
  };
}

function presentCall(exchange: AnalystCall): SignalProvenance["exchanges"][number] {
  const { corrections, reply, tries, usage, checked } = exchange;
  return {
    prompt: reply.prompt,
    rawReply: reply.rawReply,
    corrections,
    rejectedFor: checked.accepted ? [] : checked.reasons,
    ...(reply.cutOff !== undefined && { cutOff: true }),
    tries,
    usage,
  };
}
