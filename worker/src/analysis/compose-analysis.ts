import { CONFIDENCE_LEVELS, MESSAGES } from "@shared/contract/constants.ts";
import type { EconomicEvent } from "@shared/contract/economic-events.ts";
import { TIMEFRAME_MS } from "@shared/contract/market-data.ts";
import {
  analysisSchema,
  type SignalSource,
  type UnsizedAnalysis,
  validUntil,
} from "@shared/contract/signal.ts";
import { eventWarnings } from "@shared/domain/economic-events.ts";
import { formatNumber } from "@shared/domain/format-price.ts";
import { nextWeekendClose } from "@shared/domain/trading-hours.ts";
import { holdLimit } from "@shared/outcomes/hold-limit.ts";
import type { CandleSeries } from "../market-data/market-data.ts";
import { type Advice, type Analyst, NO_TRADE } from "./analyst.ts";
import type { AnalystCall } from "./analyst-call.ts";
import type { ChartReading } from "./check-chart.ts";
import { disagreementWarnings } from "./combine-samples.ts";
import { endBeforeEvent } from "./evidence/evidence-pack.ts";
import { formatUtc } from "./fetch-candles.ts";
import { holdWords } from "./hold-words.ts";
import type { MarketBrief } from "./market-brief.ts";

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
  /** What was read off the chart image, if there is one. */
  chart: ChartReading | null;
  /** Unix milliseconds. */
  madeAt: number;
  /** Those that the analysis has to respect. */
  events: readonly EconomicEvent[];
}

export function composeAnalysis(
  { brief, series, analyst, call, decision, chart, madeAt, events }: AnsweredMarket,
  warnings: string[],
): UnsizedAnalysis {
  const { advice, model } = call.reply;
  const { final_signal, confidence, entry, stop_loss, take_profit } = decision;
  const holdCandles = holdCandlesOf(decision, brief);
  const validEnd = endBeforeEvent(validUntil(brief), events, madeAt);
  return unsizedSchema.parse({
    final_signal,
    confidence,
    entry,
    stop_loss,
    take_profit,
    warnings,
    ...(holdCandles === null
      ? {
          suggested_hold: NO_TRADE.suggested_hold,
          trade_duration_text: decision.trade_duration_text,
        }
      : holdWords(holdCandles, brief)),
    hold_candles: holdCandles,
    valid_until: final_signal === "WAIT" ? null : new Date(validEnd).toISOString(),
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

const presentReading = (chart: ChartReading) => ({
  symbol: chart.symbol,
  last_price: chart.lastPrice,
  timeframe: chart.timeframe,
  lines: [...chart.lines],
  patterns: [...chart.patterns],
});

/** The WAIT of a chart image that shows another market. No analyst was asked. */
export function otherMarketWait(
  reason: string,
  { brief, series, chart }: Pick<AnsweredMarket, "brief" | "series"> & { chart: ChartReading },
): UnsizedAnalysis {
  const { lastCandleAt } = brief;
  const warnings = [...series.notes, reason];
  const condition = "Another market";
  const wait = unaskedWait({ reason, condition, warnings, series, lastCandleAt });
  return { ...wait, raw_ai: { ...wait.raw_ai, chart_reading: presentReading(chart) } };
}

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
      counter_evidence: [],
      market_condition: condition,
      what_to_watch_for: [],
    },
    source,
  };
}

/** The WAIT of a market that no analyst was asked about, as of the close of its last candle, Unix milliseconds. */
export function unaskedWait(options: {
  reason: string;
  condition: string;
  warnings: string[];
  series: CandleSeries;
  lastCandleAt: number;
}): UnsizedAnalysis {
  const { series, lastCandleAt, ...said } = options;
  const { data, provider, candles } = series;
  const source: SignalSource = {
    data,
    provider,
    analyst: "none",
    model: "none",
    last_candle_at: new Date(lastCandleAt).toISOString(),
    price: candles.at(-1)?.close ?? null,
  };
  return { ...waitAnalysis({ ...said, source }), valid_until: null };
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
  { brief, series, analyst, call, decision, madeAt, events }: AnsweredMarket,
  { isImageUnread, tooCostly }: { isImageUnread: boolean; tooCostly: readonly string[] },
): string[] => [
  ...series.notes,
  ...analystWarnings(analyst),
  ...(isImageUnread ? ["The chart image was not read. Its credit was returned."] : []),
  ...rejectionWarnings(call),
  ...disagreementWarnings(call),
  ...tooCostly,
  ...staleWarnings(brief, madeAt),
  ...confidenceWarnings(decision),
  ...eventWarnings(events, madeAt),
  ...weekendWarnings(decision, { brief, series }),
];

function analystWarnings(analyst: Analyst): string[] {
  if (analyst.name !== "rules") return [];
  return [
    `${MESSAGES.ruleBasedPrefix} this signal was made by fixed indicator rules, without an AI model.`,
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

/** Of a trade that may still be open when the market closes for the weekend: it may open elsewhere. */
function weekendWarnings(
  decision: Advice,
  { brief, series }: Pick<AnsweredMarket, "brief" | "series">,
): string[] {
  const holdCandles = holdCandlesOf(decision, brief);
  const { lastCandleAt, timeframe } = brief;
  const closesAt = nextWeekendClose(series.market?.hours ?? "always", lastCandleAt);
  if (holdCandles === null || closesAt === null) return [];
  if (lastCandleAt + holdCandles * TIMEFRAME_MS[timeframe] <= closesAt) return [];
  return [
    `Weekend: this trade may still be open when the market closes at ${formatUtc(closesAt)}; it may open at another price.`,
  ];
}

function confidenceWarnings({ final_signal, confidence }: Advice): string[] {
  if (final_signal === "WAIT" || confidence > CONFIDENCE_LEVELS.medium) return [];
  return [`Low confidence: ${formatNumber(confidence, 1)} of 100.`];
}
