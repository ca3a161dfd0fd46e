import type { TradingCosts } from "@shared/contract/trading-costs.ts";
import type { CandleSeries } from "../providers/market-data.ts";
import type { Analyst } from "./analyst.ts";
import type { Consultation, Exchange } from "./consult-analyst.ts";
import { hashCandles, type SignalReceipt, sha256 } from "./receipt.ts";

/** Puts down how a signal came about. `series` must hold at least one candle. */
export function writeReceipt(options: {
  series: CandleSeries;
  analyst: Analyst;
  costs: TradingCosts;
  /** Unix milliseconds. */
  madeAt: number;
  chartImage: string | undefined;
  consultation: Consultation;
  quoteToUsd: number | undefined;
  durationsMs: SignalReceipt["durationsMs"];
}): SignalReceipt {
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
    exchanges: exchanges.map(presentExchange),
    usage,
    costs,
    quoteToUsd: quoteToUsd ?? null,
    durationsMs,
  };
}

/** Puts down that nobody was asked, and by which candles. `series` must hold at least one candle. */
export function writePausedReceipt(options: {
  series: CandleSeries;
  costs: TradingCosts;
  chartImage: string | undefined;
  /** Unix milliseconds. */
  madeAt: number;
  durationsMs: SignalReceipt["durationsMs"];
}): SignalReceipt {
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

function presentCandles(series: CandleSeries): SignalReceipt["candles"] {
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

function presentExchange(exchange: Exchange): SignalReceipt["exchanges"][number] {
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
