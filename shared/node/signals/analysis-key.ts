import { TIMEFRAME_MS, type Timeframe } from "@shared/contract/candle.ts";
import type { AnalysisSetupRecord } from "../models/analysis-setup.ts";

/** Close of the last closed candle of a timeframe. Candles of all timeframes start at multiples of their length, in UTC. */
export function lastCandleClose(timeframe: Timeframe, at: Date): Date {
  const lengthMs = TIMEFRAME_MS[timeframe];
  return new Date(Math.floor(at.getTime() / lengthMs) * lengthMs);
}

/**
 * What two requests have in common that are answered by one analysis.
 * @param setup what the workers make analyses with; null before a worker has ever started
 */
export function analysisKey(
  market: { symbol: string; timeframe: Timeframe; limit: number; candleClosedAt: Date },
  setup: Omit<AnalysisSetupRecord, "_id"> | null,
): string {
  const { symbol, timeframe, limit, candleClosedAt } = market;
  const { data, analyst, model, analystVersion } = setup ?? UNKNOWN_SETUP;
  const closedAt = candleClosedAt.toISOString();
  return [symbol, timeframe, closedAt, limit, data, analyst, model, analystVersion].join("|");
}

const UNKNOWN_SETUP = {
  data: "unknown",
  analyst: "unknown",
  model: "unknown",
  analystVersion: "unknown",
} as const;
