import type { Candle } from "@shared/contract/candle.ts";
import { instrumentClass } from "@shared/contract/instruments.ts";
import { roundTripPercent } from "@shared/contract/trading-costs.ts";
import { formatNumber } from "@shared/node/signals/round-price.ts";
import type { AdviceRequest } from "../signals/analyst.ts";
import { minStopDistance } from "../signals/cost-limit.ts";
import { volatilityRegime } from "../signals/indicators/volatility.ts";
import type { MarketBrief, StructureLevel } from "../signals/market-brief.ts";
import { formatAtTick, type PriceScale } from "../signals/price-scale.ts";
import { rememberPer } from "../signals/remember-per.ts";
import { CHART_PROMPT, PROMPT_VERSION, SYSTEM_PROMPT } from "./openai-system-prompt.ts";

const NOT_ENOUGH = "not enough candles";

/** Digits of a distance that says little as a number of ticks, and of a volume. */
const DISTANCE_DIGITS = 4;
const VOLUME_DIGITS = 5;

/** Levels of each side that are near enough to matter. */
const SHOWN_LEVELS = 3;

/** The brief as compact text: figures first, then the candles as CSV, oldest first; prices to the market's tick. */
export const briefText = rememberPer(writeBrief);

function writeBrief(brief: MarketBrief): string {
  const { symbol, timeframe, scale, price, lastCandleAt, candles } = brief;
  return [
    "<market_data>",
    `Symbol: ${JSON.stringify(symbol)} (${instrumentClass(symbol)})`,
    `Timeframe: ${timeframe}`,
    `Last candle closed at: ${new Date(lastCandleAt).toISOString()}`,
    `Session: ${sessionText(brief)}`,
    `Last close: ${formatAtTick(price, scale)}`,
    ...trendLines(brief),
    ...momentumLines(brief),
    ...volatilityLines(brief),
    ...structureLines(brief),
    `Closed candles (${candles.length}), opening time UTC,open,high,low,close,volume:`,
    ...candles.map((candle) => candleLine(candle, scale)),
    "</market_data>",
  ].join("\n");
}

/** What trading costs, and how near a stop may be for them. */
export function costsText({ brief, costs }: Pick<AdviceRequest, "brief" | "costs">): string {
  const distance = distanceText(minStopDistance(brief.price, costs), brief.scale);
  return [
    "<trading_costs>",
    `Round trip: ${formatNumber(roundTripPercent(costs), 4)}% of the price`,
    `Nearest stop that is proposed: ${distance} from the entry`,
    "</trading_costs>",
  ].join("\n");
}

/** What the analyst is told when its last advice was not accepted. */
export function correctionsText(corrections: readonly string[]): string {
  return [
    "Your last answer was not accepted:",
    ...corrections.map((correction) => `- ${correction}`),
    "Judge the same market again and answer with a JSON object that follows every rule, or with WAIT.",
  ].join("\n");
}

/** All that was asked, for the signal's receipt: without the picture, which is kept elsewhere. */
export function promptReceipt(
  request: Pick<AdviceRequest, "brief" | "costs" | "corrections" | "chartImage">,
): string {
  return [
    `Prompt version: ${PROMPT_VERSION}`,
    SYSTEM_PROMPT,
    briefText(request.brief),
    costsText(request),
    ...(request.chartImage ? [CHART_PROMPT, "[the trader's chart picture]"] : []),
    ...(request.corrections.length > 0 ? [correctionsText(request.corrections)] : []),
  ].join("\n\n");
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

/** To the tick like a price, but with four digits where a tick is too coarse to tell: an ATR of 0.00063. */
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
