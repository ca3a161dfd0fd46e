import { TIMEFRAME_MS } from "@shared/contract/candle.ts";
import { CONFIDENCE_LEVELS } from "@shared/contract/constants.ts";
import { TEXTS } from "@shared/contract/texts.ts";
import { formatNumber } from "@shared/node/signals/round-price.ts";
import type { CandleSeries } from "../providers/market-data.ts";
import type { Analyst } from "./analyst.ts";
import type { AcceptedAdvice } from "./check-advice.ts";
import type { Exchange } from "./consult-analyst.ts";
import type { MarketBrief } from "./market-brief.ts";

/** Candle lengths without a new candle after which a market is closed, or its data late. */
const STALE_CANDLES = 3;

/** All that a trader must know before acting on a signal, most important first. */
export function signalWarnings(options: {
  brief: MarketBrief;
  series: CandleSeries;
  analyst: Analyst;
  hasChartImage: boolean;
  exchange: Exchange;
  decision: AcceptedAdvice;
  /** Why the costs of the trade forbid it; empty where they do not. */
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
    `${TEXTS.ruleBasedPrefix} fixed indicator rules made this signal, no AI model was asked.${unread}`,
  ];
}

function refusalWarnings({ reply, checked }: Exchange): string[] {
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
