import type { CandleSeries } from "../providers/market-data.ts";
import type { Analyst, TokenUsage } from "./analyst.ts";
import type { Consultation, Exchange } from "./consult-analyst.ts";
import { hashCandles, type SignalReceipt, sha256 } from "./receipt.ts";

/** Puts down how a signal came about. `series` must hold at least one candle. */
export function writeReceipt(options: {
  series: CandleSeries;
  analyst: Analyst;
  chartImage: string | undefined;
  consultation: Consultation;
  quoteToUsd: number | undefined;
  durationsMs: SignalReceipt["durationsMs"];
}): SignalReceipt {
  const { series, analyst, chartImage, consultation, quoteToUsd, durationsMs } = options;
  const { exchanges, last } = consultation;
  return {
    candles: {
      sha256: hashCandles(series.candles),
      count: series.candles.length,
      lastTime: new Date(series.candles.at(-1)?.time ?? Number.NaN).toISOString(),
      provider: series.provider,
      data: series.data,
    },
    analyst: analyst.name,
    model: last.reply.model,
    chartImageSha256: chartImage === undefined ? null : sha256(chartImage),
    exchanges: exchanges.map(presentExchange),
    usage: totalUsage(exchanges),
    quoteToUsd: quoteToUsd ?? null,
    durationsMs,
  };
}

function presentExchange(exchange: Exchange): SignalReceipt["exchanges"][number] {
  const { corrections, reply, tries, checked } = exchange;
  return {
    prompt: reply.prompt,
    rawReply: reply.rawReply,
    corrections,
    rejectedFor: checked.accepted ? [] : checked.reasons,
    tries,
    usage: reply.usage ?? null,
  };
}

function totalUsage(exchanges: readonly Exchange[]): TokenUsage | null {
  const usages = exchanges.flatMap(({ reply }) => reply.usage ?? []);
  if (usages.length === 0) return null;
  return {
    promptTokens: usages.reduce((sum, usage) => sum + usage.promptTokens, 0),
    completionTokens: usages.reduce((sum, usage) => sum + usage.completionTokens, 0),
  };
}
