import { createHash } from "node:crypto";
import { DAY_MS } from "@shared/contract/constants.ts";
import { type EconomicEvent, economicEventSchema } from "@shared/contract/economic-events.ts";
import { type EvidenceItem, evidenceItemSchema } from "@shared/contract/evidence.ts";
import { TRADING_HOURS } from "@shared/contract/instruments.ts";
import type { Candle } from "@shared/contract/market-data.ts";
import { analystNameSchema, marketDataSourceSchema } from "@shared/contract/market-data.ts";
import { type TradingCosts, tradingCostsSchema } from "@shared/contract/resolution.ts";
import { signalKindSchema } from "@shared/contract/signal.ts";
import { z } from "zod";
import type { CandleSeries } from "../market-data/market-data.ts";
import { type Analyst, tokenUsageSchema, totalUsage } from "./analyst.ts";
import type { AnalystAnswer, AnalystCall, ChartAnswer } from "./analyst-call.ts";
import { type AnalystCalls, stageSchema } from "./request-advice.ts";

const sha256Schema = z.string().regex(/^[0-9a-f]{64}$/);
const tradingHoursSchema = z.enum(TRADING_HOURS);
const countSchema = z.number().int().nonnegative();
const modelCallSchema = z.object({
  prompt: z.string(),
  rawReply: z.string(),
  /** As the server named the model. */
  servedModel: z.string().optional(),
  tries: z.number().int().positive(),
  usage: tokenUsageSchema.nullable(),
});
const analystCallSchema = modelCallSchema.extend({
  corrections: z.array(z.string()),
  rejectedFor: z.array(z.string()),
  cutOff: z.literal(true).optional(),
});
const chartCallSchema = modelCallSchema.extend({
  /** False of a reply that was cut off or could not be understood. */
  isRead: z.boolean(),
  /** What the analyst got of it. */
  text: z.string().optional(),
});

/** Stored proof of how an analysis was made, sufficient to reproduce it. */
export const signalProvenanceSchema = z.object({
  candles: z.object({
    /** See `hashCandles`. */
    sha256: sha256Schema,
    count: countSchema,
    lastTime: z.iso.datetime(),
    provider: z.string(),
    data: marketDataSourceSchema,
    notes: z.array(z.string()),
    market: z.object({ hours: tradingHoursSchema, delayMs: z.number().nonnegative() }).optional(),
  }),
  /** Reference time of delays and warnings. */
  madeAt: z.iso.datetime(),
  analyst: z.enum([...analystNameSchema.options, "none"]),
  analystVersion: z.string(),
  model: z.string(),
  chartImageSha256: sha256Schema.nullable(),
  /** How the image was read. Absent if it was not, and in earlier versions, whose calls had the image. */
  chart: chartCallSchema.optional(),
  /** All samples in the order in which they were asked for, then the correction. */
  calls: z.array(analystCallSchema),
  /** Of an analyst that is asked several times: those that answered are the first calls. */
  samples: z
    .object({
      asked: countSchema,
      answered: countSchema,
      failures: z.array(z.string()),
      /** Absent if no answer was accepted. */
      votes: z.record(signalKindSchema, countSchema).optional(),
    })
    .optional(),
  usage: tokenUsageSchema.nullable(),
  costs: tradingCostsSchema,
  quoteToUsd: z.number().positive().nullable(),
  /** What the analyst was given, and the events that the analysis had to respect. Earlier versions had none. */
  evidence: z.array(evidenceItemSchema).optional(),
  events: z.array(economicEventSchema).optional(),
  durationsMs: z.record(stageSchema, z.number().nonnegative()),
});
export type SignalProvenance = z.infer<typeof signalProvenanceSchema>;

/**
 * SHA-256 of `[[time,open,high,low,close,volume],…]` as JSON, oldest first. In a browser: the hash of
 * `JSON.stringify(candles.map((c) => [c.time, c.open, c.high, c.low, c.close, c.volume]))`.
 */
export function hashCandles(candles: readonly Candle[]): string {
  const rows = candles.map((c) => [c.time, c.open, c.high, c.low, c.close, c.volume]);
  return sha256(JSON.stringify(rows));
}

export function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** Describes how an analysis was made; without `asked` if no analyst was asked. */
export function writeProvenance(
  inputs: {
    /** Has at least one candle. */
    series: CandleSeries;
    costs: TradingCosts;
    chartImage: string | undefined;
    chartAnswer: ChartAnswer | null;
    chartText?: string | undefined;
    /** Unix milliseconds. */
    madeAt: number;
    durationsMs: SignalProvenance["durationsMs"];
    evidence: EvidenceItem[];
    events: EconomicEvent[];
  },
  asked?: { analyst: Analyst; answers: AnalystCalls; quoteToUsd: number | null },
): SignalProvenance {
  const { series, costs, chartImage, madeAt, durationsMs, evidence, events } = inputs;
  const { chartAnswer, chartText: text } = inputs;
  const { analyst, answers, quoteToUsd = null } = asked ?? {};
  return {
    candles: presentCandles(series),
    madeAt: new Date(madeAt).toISOString(),
    analyst: analyst?.name ?? "none",
    analystVersion: analyst?.version ?? "none",
    model: answers?.last.reply.model ?? "none",
    chartImageSha256: chartImage === undefined ? null : sha256(chartImage),
    ...(chartAnswer && { chart: { ...presentChart(chartAnswer), ...(text && { text }) } }),
    calls: answers?.calls.map(presentCall) ?? [],
    ...(answers?.samples && { samples: presentSamples(answers, answers.samples) }),
    usage: totalUsage([chartAnswer?.usage, answers?.usage].flatMap((usage) => usage ?? [])),
    costs,
    quoteToUsd,
    evidence,
    events: events.filter((event) => isNear(event, madeAt)),
    durationsMs,
  };
}

/** Entry windows end within days. */
const NEAR_MS = 7 * DAY_MS;
const isNear = ({ at }: EconomicEvent, madeAt: number): boolean =>
  Math.abs(Date.parse(at) - madeAt) <= NEAR_MS;

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

function presentSamples(
  { calls, last: { votes } }: AnalystCalls,
  { asked, failures }: NonNullable<AnalystCalls["samples"]>,
): NonNullable<SignalProvenance["samples"]> {
  const first = calls.filter(({ corrections }) => corrections.length === 0);
  return { asked, answered: first.length, failures, ...(votes && { votes }) };
}

const presentReply = ({ reply, tries, usage }: AnalystAnswer | ChartAnswer) => ({
  prompt: reply.prompt,
  rawReply: reply.rawReply,
  ...(reply.servedModel !== undefined && { servedModel: reply.servedModel }),
  tries,
  usage,
});

const presentChart = (answer: ChartAnswer) => ({
  ...presentReply(answer),
  isRead: answer.reply.reading !== null,
});

const presentCall = (call: AnalystCall): SignalProvenance["calls"][number] => ({
  ...presentReply(call),
  corrections: call.corrections,
  rejectedFor: call.checked.accepted ? [] : call.checked.reasons,
  ...(call.reply.cutOff !== undefined && { cutOff: true }),
});
