import { instrumentClass } from "@shared/contract/instruments.ts";
import type { Candle } from "@shared/contract/market-data.ts";
import { roundTripPercent, type TradingCosts } from "@shared/contract/resolution.ts";
import { formatNumber } from "@shared/domain/format-price.ts";
import { volatilityRegime } from "./indicators.ts";
import {
  formatAtTick,
  type MarketBrief,
  type PriceScale,
  type StructureLevel,
} from "./market-brief.ts";
import { minStopDistance } from "./validate-advice.ts";

const NOT_ENOUGH = "not enough candles";

const DISTANCE_DIGITS = 4;
const VOLUME_DIGITS = 5;

const SHOWN_LEVELS = 3;

/** The figures of a market in words, as an analyst gets them: each fact on a line, then the candles as CSV. */
export function marketTexts(brief: MarketBrief): {
  market: string;
  candles: string;
  rows: string[];
} {
  const { symbol, timeframe, scale, price, lastCandleAt, candles } = brief;
  const market = [
    `Symbol: ${JSON.stringify(symbol)} (${instrumentClass(symbol)})`,
    `Timeframe: ${timeframe}`,
    `Last candle closed at: ${new Date(lastCandleAt).toISOString()}`,
    `Session: ${sessionText(brief)}`,
    `Last close: ${formatAtTick(price, scale)}`,
    ...trendLines(brief),
    ...momentumLines(brief),
    ...volatilityLines(brief),
    ...structureLines(brief),
  ].join("\n");
  return {
    market,
    candles: `Closed candles (${candles.length}), opening time UTC,open,high,low,close,volume:`,
    rows: candles.map((candle) => candleLine(candle, scale)),
  };
}

export function costsText(brief: MarketBrief, costs: TradingCosts): string {
  const distance = distanceText(minStopDistance(brief.price, costs), brief.scale);
  return [
    `Round trip: ${formatNumber(roundTripPercent(costs), 4)}% of the price`,
    `Nearest stop that is proposed: ${distance} from the entry`,
  ].join("\n");
}

function sessionText({ session }: MarketBrief): string {
  if (!session) return "each candle spans all sessions";
  const centres = session.centres.length > 0 ? session.centres.join(" and ") : "between sessions";
  return session.isWeekend ? `${centres}, weekend` : centres;
}

function trendLines({ timeframe, scale, indicators }: MarketBrief): string[] {
  const { trend, higherTimeframe: higher, ema20, ema50, ema200 } = indicators;
  const prices = [ema20, ema50, ema200].map((value) => priceText(value, scale));
  return [
    `Trend of ${timeframe}: ${trend ?? NOT_ENOUGH}`,
    `Higher timeframe: ${higher ? `${higher.timeframe} trend ${higher.trend}` : NOT_ENOUGH}`,
    `EMA 20 / 50 / 200: ${prices.join(" / ")}`,
  ];
}

function momentumLines({ scale, indicators: { rsi14, macd } }: MarketBrief): string[] {
  const values = macd && [macd.macd, macd.signal, macd.histogram, macd.previousHistogram];
  const texts = values?.map((value) => distanceText(value, scale)).join(" / ");
  return [
    `RSI(14): ${numberText(rsi14, 1)}`,
    `MACD(12, 26, 9) line / signal / histogram / histogram before: ${texts ?? NOT_ENOUGH}`,
  ];
}

function volatilityLines({ scale, indicators }: MarketBrief): string[] {
  const { atr14, atrRatio, atrPercentile, bollinger20: bands, volume } = indicators;
  const regime = atrPercentile === null ? "" : ` (${volatilityRegime(atrPercentile)})`;
  const edges = bands && [bands.lower, bands.middle, bands.upper];
  return [
    `ATR(14): ${distanceText(atr14, scale)}`,
    `ATR(14) against its mean of 50 candles: ${timesText(atrRatio)}`,
    `ATR(14) percentile among earlier ones: ${numberText(atrPercentile, 0)}${regime}`,
    `Bollinger(20, 2) lower / middle / upper: ${edges?.map((value) => priceText(value, scale)).join(" / ") ?? NOT_ENOUGH}`,
    volume
      ? `Volume last / mean of 20 candles: ${volumeText(volume.last)} / ${volumeText(volume.average20)}, ${timesText(volume.ratio)}`
      : "Volume: not reported",
  ];
}

function structureLines(brief: MarketBrief): string[] {
  const { scale, indicators, resistances, supports } = brief;
  const listed = (prices: readonly number[]) =>
    prices.map((price) => formatAtTick(price, scale)).join(", ") || "none";
  const levelTexts = (levels: readonly StructureLevel[]) =>
    levels.slice(0, SHOWN_LEVELS).map((level) => levelText(level, scale));
  return [
    `Swing highs, oldest first: ${listed(indicators.swings.highs)}`,
    `Swing lows, oldest first: ${listed(indicators.swings.lows)}`,
    `Resistance above, nearest first: ${levelTexts(resistances).join("; ") || "none"}`,
    `Support below, nearest first: ${levelTexts(supports).join("; ") || "none"}`,
  ];
}

function levelText({ price, distanceAtr, distancePercent }: StructureLevel, scale: PriceScale) {
  const atr = distanceAtr === null ? "" : `${distanceAtr.toFixed(2)} ATR, `;
  return `${formatAtTick(price, scale)} (${atr}${distancePercent.toFixed(2)}%)`;
}

function candleLine({ time, open, high, low, close, volume }: Candle, scale: PriceScale): string {
  const opened = new Date(time).toISOString().slice(0, 16);
  const prices = [open, high, low, close].map((price) => formatAtTick(price, scale));
  return [opened, ...prices, volumeText(volume)].join(",");
}

function priceText(value: number | null, scale: PriceScale): string {
  return value === null ? NOT_ENOUGH : formatAtTick(value, scale);
}

/** Four digits where a tick is too coarse, as for an ATR of 0.00063. */
function distanceText(value: number | null, { tick, decimals }: PriceScale): string {
  if (value === null) return NOT_ENOUGH;
  if (value === 0 || Math.abs(value) >= tick * 10 ** (DISTANCE_DIGITS - 1))
    return value.toFixed(decimals);
  return Number(value.toPrecision(DISTANCE_DIGITS)).toFixed(
    Math.max(DISTANCE_DIGITS - 1 - Math.floor(Math.log10(Math.abs(value))), decimals),
  );
}

function numberText(value: number | null, decimals: number): string {
  return value === null ? NOT_ENOUGH : value.toFixed(decimals);
}

const timesText = (value: number | null) =>
  value === null ? NOT_ENOUGH : `${value.toFixed(2)} times`;

const volumeText = (value: number) => String(Number(value.toPrecision(VOLUME_DIGITS)));
