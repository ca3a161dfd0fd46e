import { type Candle, TIMEFRAME_MS, type Timeframe } from "@shared/contract/candle.ts";
import { computeIndicators, type Indicators, structureAround } from "./indicators.ts";
import { memoizeWeak } from "./memoize-weak.ts";
import { type PriceScale, priceScale } from "./price-scale.ts";

/** A swing price and how far the last close is from it; distances are at least 0. */
export interface StructureLevel {
  price: number;
  /** In ATR(14); null where that is unknown or 0. */
  distanceAtr: number | null;
  /** In percent of the last close. */
  distancePercent: number;
}

/** All that an analyst may know of a market, computed from closed candles only. */
export interface MarketBrief {
  symbol: string;
  timeframe: Timeframe;
  /** How this market's prices are written. */
  scale: PriceScale;
  /** Close of the last closed candle, in the quote currency. */
  price: number;
  /** When that candle closed, Unix milliseconds. */
  lastCandleAt: number;
  /** Who trades at that moment; null for daily candles. */
  session: TradingSession | null;
  /** The last candles, oldest first, as many as the trader asked for. */
  candles: Candle[];
  indicators: Indicators;
  /** Swings above and below the last close, nearest first. */
  resistances: StructureLevel[];
  supports: StructureLevel[];
}

/** What a brief is made of. */
interface BriefedMarket {
  symbol: string;
  timeframe: Timeframe;
  /** How many of the candles the analyst sees; the indicators use all. */
  limit: number;
  /** Closed ones, oldest first. */
  candles: readonly Candle[];
}

const briefsOf = memoizeWeak((_candles: readonly Candle[]) => new Map<string, MarketBrief>());

/**
 * Sums up a market; once for all who ask about the same candles.
 * @throws RangeError without any candle
 */
export function buildMarketBrief(market: BriefedMarket): MarketBrief {
  const { symbol, timeframe, limit, candles } = market;
  const briefs = briefsOf(candles);
  const key = `${timeframe} ${limit} ${symbol}`;
  const brief = briefs.get(key) ?? sumUp(market);
  briefs.set(key, brief);
  return brief;
}

function sumUp({ symbol, timeframe, limit, candles }: BriefedMarket): MarketBrief {
  const last = candles.at(-1);
  if (!last) throw new RangeError("A market brief needs at least one candle.");
  const price = last.close;
  const lastCandleAt = last.time + TIMEFRAME_MS[timeframe];
  const indicators = computeIndicators({ candles, timeframe });
  return {
    symbol,
    timeframe,
    scale: priceScale({ symbol, price }),
    price,
    lastCandleAt,
    session: tradingSession({ timeframe, time: lastCandleAt }),
    candles: candles.slice(-limit),
    indicators,
    ...structureLevels(price, indicators),
  };
}

function structureLevels(
  price: number,
  { swings, atr14 }: Indicators,
): Pick<MarketBrief, "resistances" | "supports"> {
  const { resistances, supports } = structureAround({ price, swings });
  const measure = (level: number): StructureLevel => ({
    price: level,
    distanceAtr: atr14 ? Math.abs(level - price) / atr14 : null,
    distancePercent: (100 * Math.abs(level - price)) / price,
  });
  return { resistances: resistances.map(measure), supports: supports.map(measure) };
}

/** The great trading centres, by the hours of UTC in which each sets the pace; they overlap. */
const CENTRES = [
  { name: "Asia", fromHour: 0, untilHour: 9 },
  { name: "London", fromHour: 7, untilHour: 16 },
  { name: "New York", fromHour: 12, untilHour: 21 },
] as const;

const SATURDAY = 6;
const SUNDAY = 0;

/** Who is at work at a moment. */
interface TradingSession {
  /** Empty in the late evening of UTC, when all are away. */
  centres: (typeof CENTRES)[number]["name"][];
  /** Saturday or Sunday in UTC: crypto trades on, thinly; the rest is closed for most of it. */
  isWeekend: boolean;
}

/** The session at `time`, Unix milliseconds; null for daily candles, each of which spans them all. */
export function tradingSession(options: {
  timeframe: Timeframe;
  time: number;
}): TradingSession | null {
  if (options.timeframe === "1d") return null;
  const date = new Date(options.time);
  const [hour, day] = [date.getUTCHours(), date.getUTCDay()];
  return {
    centres: CENTRES.filter(({ fromHour, untilHour }) => hour >= fromHour && hour < untilHour).map(
      ({ name }) => name,
    ),
    isWeekend: day === SATURDAY || day === SUNDAY,
  };
}
