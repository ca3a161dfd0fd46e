import { analysisSchema, type UnsizedAnalysis } from "@shared/contract/signal.ts";
import { validUntil } from "@shared/contract/validity.ts";
import { holdLimit } from "@shared/outcomes/hold-limit.ts";
import type { CandleSeries } from "../providers/market-data.ts";
import type { Analyst } from "./analyst.ts";
import type { AcceptedAdvice } from "./check-advice.ts";
import type { Exchange } from "./consult-analyst.ts";
import type { MarketBrief } from "./market-brief.ts";

const unsizedSchema = analysisSchema.omit({
  suggested_units: true,
  estimated_dollar_risk: true,
  required_margin: true,
});

/**
 * Puts the judged advice and its origin into the shape that signals are made from.
 * @throws ZodError if an analyst's words do not fit that shape
 */
export function composeAnalysis(options: {
  brief: MarketBrief;
  series: CandleSeries;
  analyst: Analyst;
  exchange: Exchange;
  decision: AcceptedAdvice;
  warnings: string[];
  /** Unix milliseconds. */
  now: number;
}): UnsizedAnalysis {
  const { brief, series, analyst, exchange, decision, warnings, now } = options;
  const { advice, model } = exchange.reply;
  return unsizedSchema.parse({
    final_signal: decision.final_signal,
    confidence: decision.confidence,
    entry: decision.entry,
    stop_loss: decision.stop_loss,
    take_profit: decision.take_profit,
    warnings,
    suggested_hold: decision.suggested_hold,
    hold_candles: holdCandlesOf(decision, brief),
    trade_duration_text: decision.trade_duration_text,
    valid_until:
      decision.final_signal === "WAIT" ? null : new Date(validUntil(brief)).toISOString(),
    delivery_delay_ms: Math.max(0, now - brief.lastCandleAt),
    // No number at all was a reason to refuse the advice; JSON has no word for it.
    raw_ai: { ...advice, confidence: Number.isFinite(advice.confidence) ? advice.confidence : 0 },
    source: {
      data: series.data,
      provider: series.provider,
      analyst: analyst.name,
      model,
      analyst_version: analyst.version,
      last_candle_at: new Date(brief.lastCandleAt).toISOString(),
      price: brief.price,
    },
  });
}

function holdCandlesOf(decision: AcceptedAdvice, brief: MarketBrief): number | null {
  if (decision.final_signal === "WAIT") return null;
  const { hold_candles: candles, suggested_hold: text } = decision;
  return holdLimit({ candles, text, timeframe: brief.timeframe, from: brief.lastCandleAt });
}

/** What stands where an analyst's advice was not accepted: its words, but no trade and no confidence. */
export function refusedAdvice({ reply: { advice } }: Exchange): AcceptedAdvice {
  return {
    ...advice,
    final_signal: "WAIT",
    confidence: 0,
    entry: null,
    stop_loss: null,
    take_profit: null,
    suggested_hold: "No position",
    hold_candles: null,
    trade_duration_text: "No trade",
  };
}
