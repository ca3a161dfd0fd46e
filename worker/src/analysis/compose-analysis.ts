import { TIMEFRAME_MS } from "@shared/contract/candle.ts";
import { CONFIDENCE_LEVELS } from "@shared/contract/constants.ts";
import { MESSAGES } from "@shared/contract/messages.ts";
import { analysisSchema, type UnsizedAnalysis, validUntil } from "@shared/contract/signal.ts";
import { formatNumber } from "@shared/domain/format-price.ts";
import { holdLimit } from "@shared/outcomes/hold-limit.ts";
import type { CandleSeries } from "../market-data/market-data.ts";
import type { Analyst } from "./analyst.ts";
import type { MarketBrief } from "./market-brief.ts";
import type { AnalystCall } from "./request-advice.ts";
import type { AcceptedAdvice } from "./validate-advice.ts";

const unsizedSchema = analysisSchema.omit({
  suggested_units: true,
  estimated_dollar_risk: true,
  required_margin: true,
});

export function composeAnalysis(options: {
  brief: MarketBrief;
  series: CandleSeries;
  analyst: Analyst;
  exchange: AnalystCall;
  decision: AcceptedAdvice;
  warnings: string[];
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

/** The words of the analyst, without a trade and without confidence. */
export function rejectedAdvice({ reply: { advice } }: AnalystCall): AcceptedAdvice {
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

const STALE_CANDLES = 3;

/** Warnings of a signal, most important first. */
export function signalWarnings(options: {
  brief: MarketBrief;
  series: CandleSeries;
  analyst: Analyst;
  hasChartImage: boolean;
  exchange: AnalystCall;
  decision: AcceptedAdvice;
  tooCostly: readonly string[];
  now: number;
}): string[] {
  const { brief, series, analyst, hasChartImage, exchange, decision, tooCostly, now } = options;
  return [
    ...series.notes,
    ...analystWarnings(analyst, hasChartImage),
    ...refusalWarnings(exchange),
    ...tooCostly,
    ...staleWarnings(brief, now),
    ...confidenceWarnings(decision),
  ];
}

function analystWarnings(analyst: Analyst, hasChartImage: boolean): string[] {
  if (analyst.name !== "rules") return [];
  const unread = hasChartImage ? " The chart image was not read." : "";
  return [
    `${MESSAGES.ruleBasedPrefix} fixed indicator rules made this signal, no AI model was asked.${unread}`,
  ];
}

function refusalWarnings({ reply, checked }: AnalystCall): string[] {
  if (checked.accepted) return [];
  const subject = reply.advice.final_signal === "WAIT" ? "answer was" : "levels were";
  const reasons = checked.reasons.join(" ");
  return [
    `The analyst's ${subject} not accepted, not even after a second try, so this is a WAIT. ${reasons}`,
  ];
}

function staleWarnings({ timeframe, lastCandleAt }: MarketBrief, now: number): string[] {
  if (now - lastCandleAt <= STALE_CANDLES * TIMEFRAME_MS[timeframe]) return [];
  const closedAt = new Date(lastCandleAt).toISOString();
  return [`The last candle closed at ${closedAt}: the market may be closed, or its data late.`];
}

function confidenceWarnings({ final_signal, confidence }: AcceptedAdvice): string[] {
  if (final_signal === "WAIT" || confidence > CONFIDENCE_LEVELS.medium) return [];
  return [`Low confidence: ${formatNumber(confidence, 1)} of 100.`];
}
