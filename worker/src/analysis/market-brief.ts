import { findInstrument } from "@shared/contract/instruments.ts";
import { type Candle, TIMEFRAME_MS, type Timeframe } from "@shared/contract/market-data.ts";
import { tickDecimals } from "@shared/domain/format-price.ts";
import { computeIndicators, type Indicators, structureAround } from "./indicators.ts";

/** Distances are absolute. */
export interface StructureLevel {
  price: number;
  distanceAtr: number | null;
  distancePercent: number;
}

/** Market context of an analyst, computed from closed candles only. */
export interface MarketBrief {
  symbol: string;
  timeframe: Timeframe;
  scale: PriceScale;
  price: number;
  /** When that candle closed, Unix milliseconds. */
  lastCandleAt: number;
  session: TradingSession | null;
  /** The last candles, oldest first, as many as requested. */
  candles: Candle[];
  indicators: Indicators;
  resistances: StructureLevel[];
  supports: StructureLevel[];
}

interface BriefedMarket {
  symbol: string;
  timeframe: Timeframe;
  /** Number of candles that the analyst sees; the indicators use all. */
  limit: number;
  candles: readonly Candle[];
}

export function buildMarketBrief(market: BriefedMarket): MarketBrief {
  const { symbol, timeframe, limit, candles } = market;
  const last = candles.at(-1);
  if (!last) throw new RangeError("A market brief needs at least one candle.");
  const price = last.close;
  const lastCandleAt = last.time + TIMEFRAME_MS[timeframe];
  const indicators = computeIndicators({ candles, timeframe });
  return {
    symbol,
    timeframe,
    scale: priceScale(symbol, price),
    price,
    lastCandleAt,
    session: timeframe === "1d" ? null : tradingSession(lastCandleAt),
    candles: candles.slice(-limit),
    indicators,
    ...structureLevels(price, indicators),
  };
}

function structureLevels(
  price: number,
  { swings, atr14 }: Indicators,
): Pick<MarketBrief, "resistances" | "supports"> {
  const { resistances, supports } = structureAround(price, swings);
  const measure = (level: number): StructureLevel => ({
    price: level,
    distanceAtr: atr14 ? Math.abs(level - price) / atr14 : null,
    distancePercent: (100 * Math.abs(level - price)) / price,
  });
  return { resistances: resistances.map(measure), supports: supports.map(measure) };
}

/** Overlapping trading hours in UTC. */
const CENTRES = [
  { name: "Asia", fromHour: 0, untilHour: 9 },
  { name: "London", fromHour: 7, untilHour: 16 },
  { name: "New York", fromHour: 12, untilHour: 21 },
] as const;

const SATURDAY = 6;
const SUNDAY = 0;

interface TradingSession {
  centres: (typeof CENTRES)[number]["name"][];
  isWeekend: boolean;
}

export function tradingSession(time: number): TradingSession {
  const date = new Date(time);
  const hour = date.getUTCHours();
  const day = date.getUTCDay();
  const open = CENTRES.filter(({ fromHour, untilHour }) => hour >= fromHour && hour < untilHour);
  return { centres: open.map(({ name }) => name), isWeekend: day === SATURDAY || day === SUNDAY };
}

export interface PriceScale {
  tick: number;
  decimals: number;
}

/** The instrument's own scale, else six significant digits of `price`. */
export function priceScale(symbol: string, price: number): PriceScale {
  const instrument = findInstrument(symbol);
  if (instrument) return { tick: instrument.tick, decimals: instrument.decimals };
  const decimals = tickDecimals(price);
  return { tick: Number(`1e-${decimals}`), decimals };
}

export function roundToTick(value: number, { tick, decimals }: PriceScale): number {
  return Number((Math.round(value / tick) * tick).toFixed(decimals));
}

/** `113456.70`, `1.16980`. */
export function formatAtTick(value: number, scale: PriceScale): string {
  return roundToTick(value, scale).toFixed(scale.decimals);
}
