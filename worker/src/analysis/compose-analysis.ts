import { CONFIDENCE_LEVELS, MESSAGES } from "@shared/contract/constants.ts";
import { TIMEFRAME_MS } from "@shared/contract/market-data.ts";
import {
  analysisSchema,
  type SignalSource,
  type UnsizedAnalysis,
  validUntil,
} from "@shared/contract/signal.ts";
import { formatNumber } from "@shared/domain/format-price.ts";
import { holdLimit } from "@shared/outcomes/hold-limit.ts";
import type { CandleSeries } from "../market-data/market-data.ts";
import { type Advice, type Analyst, NO_TRADE } from "./analyst.ts";
import type { ChartReading } from "./check-chart.ts";
import type { MarketBrief } from "./market-brief.ts";
import type { AnalystCall } from "./request-advice.ts";

const unsizedSchema = analysisSchema.omit({
  suggested_units: true,
  estimated_dollar_risk: true,
  required_margin: true,
});

interface AnsweredMarket {
  brief: MarketBrief;
  series: CandleSeries;
  analyst: Analyst;
  call: AnalystCall;
  decision: Advice;
  /** Unix milliseconds. */
  madeAt: number;
}

export function composeAnalysis(
  { brief, series, analyst, call, decision, madeAt }: AnsweredMarket,
  warnings: string[],
): UnsizedAnalysis {
  const { advice, model, chart } = call.reply;
  const { final_signal, confidence, entry, stop_loss, take_profit } = decision;
  return unsizedSchema.parse({
    final_signal,
    confidence,
    entry,
    stop_loss,
    take_profit,
    warnings,
    suggested_hold: decision.suggested_hold,
    hold_candles: holdCandlesOf(decision, brief),
    trade_duration_text: decision.trade_duration_text,
    valid_until: final_signal === "WAIT" ? null : new Date(validUntil(brief)).toISOString(),
    delivery_delay_ms: Math.max(0, madeAt - brief.lastCandleAt),
    // A confidence that is not a number was a reason to reject the advice, and is not valid JSON.
    raw_ai: {
      ...advice,
      confidence: Number.isFinite(advice.confidence) ? advice.confidence : 0,
      ...(chart && { chart_reading: presentReading(chart) }),
    },
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

const presentReading = ({ symbol, lastPrice, timeframe }: ChartReading) => ({
  symbol,
  last_price: lastPrice !== null && Number.isFinite(lastPrice) ? lastPrice : null,
  timeframe,
});

/** The WAIT of an analysis without advice. */
export function waitAnalysis(options: {
  reason: string;
  condition: string;
  warnings: string[];
  source: SignalSource;
}): UnsizedAnalysis {
  const { reason, condition, warnings, source } = options;
  return {
    ...NO_TRADE,
    warnings,
    raw_ai: {
      confidence: 0,
      rationale: reason,
      key_evidence: [],
      market_condition: condition,
      what_to_watch_for: [],
    },
    source,
  };
}

function holdCandlesOf(decision: Advice, brief: MarketBrief): number | null {
  if (decision.final_signal === "WAIT") return null;
  const { hold_candles: candles, suggested_hold: text } = decision;
  return holdLimit({ candles, text, timeframe: brief.timeframe, from: brief.lastCandleAt });
}

/** The words of the analyst, without a trade and without confidence. */
export const rejectedAdvice = ({ reply: { advice } }: AnalystCall): Advice => ({
  ...advice,
  ...NO_TRADE,
});

const STALE_CANDLES = 3;

export const signalWarnings = (
  { brief, series, analyst, call, decision, madeAt }: AnsweredMarket,
  { hasChartImage, tooCostly }: { hasChartImage: boolean; tooCostly: readonly string[] },
): string[] => [
  ...series.notes,
  ...analystWarnings(analyst, hasChartImage),
  ...rejectionWarnings(call),
  ...tooCostly,
  ...staleWarnings(brief, madeAt),
  ...confidenceWarnings(decision),
];

function analystWarnings(analyst: Analyst, hasChartImage: boolean): string[] {
  if (analyst.name !== "rules") return [];
  return [
    `${MESSAGES.ruleBasedPrefix} this signal was made by fixed indicator rules, without an AI model.`,
    ...(hasChartImage ? ["The chart image was not read. Its credit was returned."] : []),
  ];
}

function rejectionWarnings({ reply, checked }: AnalystCall): string[] {
  if (checked.accepted) return [];
  const subject = reply.advice.final_signal === "WAIT" ? "answer was" : "levels were";
  const reasons = checked.reasons.join(" ");
  return [`The analyst's ${subject} rejected twice, so this is a WAIT. ${reasons}`];
}

function staleWarnings({ timeframe, lastCandleAt }: MarketBrief, now: number): string[] {
  if (now - lastCandleAt <= STALE_CANDLES * TIMEFRAME_MS[timeframe]) return [];
  const closedAt = new Date(lastCandleAt).toISOString();
  return [`The last candle closed at ${closedAt}: the market may be closed, or its data delayed.`];
}

function confidenceWarnings({ final_signal, confidence }: Advice): string[] {
  if (final_signal === "WAIT" || confidence > CONFIDENCE_LEVELS.medium) return [];
  return [`Low confidence: ${formatNumber(confidence, 1)} of 100.`];
}
