import { TIMEFRAME_MS, type Timeframe } from "@shared/contract/candle.ts";
import type { UnsizedAnalysis } from "@shared/contract/signal.ts";
import type { CandleSeries } from "../market-data/market-data.ts";
import { isOpen, isStale, lastClose, nextOpen } from "../market-data/trading-hours.ts";
import { waitAnalysis } from "./compose-analysis.ts";

export interface MarketClosure {
  condition: "Closed" | "No current data";
  reason: string;
}

/** Returns why the market is closed or its data too old, null otherwise. Replayed markets never close. */
export function findMarketClosure(options: {
  symbol: string;
  timeframe: Timeframe;
  series: CandleSeries;
  now: number;
}): MarketClosure | null {
  const { symbol, timeframe, series, now } = options;
  if (series.data === "replay") return null;
  const hours = series.market?.hours ?? "always";
  if (!isOpen(hours, now)) {
    const closedAt = formatUtc(lastClose(hours, now) ?? now);
    const opensAt = formatUtc(nextOpen(hours, now));
    const reason = `The market of ${symbol} is closed since ${closedAt} and opens at ${opensAt}.`;
    return { condition: "Closed", reason };
  }
  if (!isStale(series, { timeframe, now })) return null;
  const endedAt = lastCandleAt(series, timeframe);
  const reason =
    `The newest data of ${symbol} is ${formatAge(now - endedAt)} old: the last candle closed at ` +
    `${formatUtc(endedAt)}, and nothing has come since. The market may be closed for a holiday.`;
  return { condition: "No current data", reason };
}

export function closedMarketAnalysis(
  { condition, reason }: MarketClosure,
  series: CandleSeries,
  timeframe: Timeframe,
): UnsizedAnalysis {
  const { data, provider, candles, notes } = series;
  const analysis = waitAnalysis({
    reason,
    condition,
    warnings: [...notes, `${reason} No analysis was made, and nothing is charged.`],
    source: {
      ...{ data, provider, analyst: "none", model: "none" },
      last_candle_at: new Date(lastCandleAt(series, timeframe)).toISOString(),
      price: candles.at(-1)?.close ?? null,
    },
  });
  return { ...analysis, valid_until: null };
}

function lastCandleAt({ candles }: CandleSeries, timeframe: Timeframe): number {
  return (candles.at(-1)?.time ?? Number.NaN) + TIMEFRAME_MS[timeframe];
}

/** `2026-11-22 23:00 UTC`. */
function formatUtc(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

const MINUTES_PER_HOUR = 60;
const MINUTES_PER_DAY = 1_440;

/** The two largest units, such as `2 days 3 hours`. */
function formatAge(ageMs: number): string {
  const minutes = Math.floor(ageMs / TIMEFRAME_MS["1m"]);
  const parts = [
    inUnit(Math.floor(minutes / MINUTES_PER_DAY), "day"),
    inUnit(Math.floor((minutes % MINUTES_PER_DAY) / MINUTES_PER_HOUR), "hour"),
    inUnit(minutes % MINUTES_PER_HOUR, "minute"),
  ];
  return parts.flat().slice(0, 2).join(" ");
}

function inUnit(value: number, unit: "day" | "hour" | "minute"): string[] {
  if (value === 0) return [];
  return [new Intl.NumberFormat("en", { style: "unit", unit, unitDisplay: "long" }).format(value)];
}
