import { findInstrument, INSTRUMENTS, type ProductSymbol } from "@shared/contract/instruments.ts";
import { type Timeframe, timeframeSchema } from "@shared/contract/market-data.ts";
import { cutText } from "@shared/domain/cut-text.ts";
import { formatNumber } from "@shared/domain/format-price.ts";
import { isUsdLike, symbolCurrencies } from "@shared/domain/sizing.ts";
import { formatAtTick, type MarketBrief } from "./market-brief.ts";

/** Formations that a chart image may show. */
export const CHART_PATTERNS = [
  "double top",
  "double bottom",
  "head and shoulders",
  "inverse head and shoulders",
  "ascending triangle",
  "descending triangle",
  "symmetrical triangle",
  "rising wedge",
  "falling wedge",
  "rising channel",
  "falling channel",
  "range",
  "bull flag",
  "bear flag",
  "cup and handle",
] as const;
export type ChartPattern = (typeof CHART_PATTERNS)[number];

/** What a chart image shows. Only its figures and patterns reach the analyst: names may be any words. */
export interface ChartReading {
  symbol: string | null;
  lastPrice: number | null;
  timeframe: string | null;
  /** Prices of horizontal lines. */
  lines: readonly number[];
  patterns: readonly ChartPattern[];
}

const MAX_CHART_LINES = 6;

/** Lines farther away are no levels of a trade on this timeframe. */
const MAX_LINE_DISTANCE_ATR = 20;

/** The reading without lines that are too far away. */
export function withNearLines(
  { price, indicators }: MarketBrief,
  chart: ChartReading,
): ChartReading {
  const reach = MAX_LINE_DISTANCE_ATR * (indicators.atr14 ?? 0);
  const near = chart.lines.filter((line) => Math.abs(line - price) <= reach);
  return { ...chart, lines: near.slice(0, MAX_CHART_LINES) };
}

/** What the analyst learns of a chart image, in words of this program. */
export function chartText({ scale }: MarketBrief, chart: ChartReading): string {
  const lines = chart.lines.map((line) => formatAtTick(line, scale));
  return [
    `Horizontal lines that the trader drew: ${lines.join(", ") || "none that could be read"}`,
    `Patterns: ${chart.patterns.join(", ") || "none"}`,
  ].join("\n");
}

/**
 * Beyond this distance from the last close, a chart shows another market or another time. Images are a few candles old,
 * and feeds differ.
 */
const MAX_PRICE_DISTANCE_ATR = 5;

const OTHER_NAMES: Partial<Record<ProductSymbol, readonly string[]>> = {
  "BTC/USDT": ["XBT"],
  "XAU/USD": ["GC1"],
  "XAG/USD": ["SI1"],
  "USD/JPY": ["USDOLLARJAPANESEYEN"],
  US30: ["DJI", "DJ30", "YM1", "DOWJONES"],
  NAS100: ["NDX", "US100", "USTEC", "NQ1", "NASDAQ"],
  SPX500: ["SPX", "US500", "ES1", "SP500"],
  WTI: ["USOIL", "CL1", "XTIUSD", "CRUDEOIL"],
  BRENT: ["UKOIL", "BZ1", "XBRUSD", "BRENTCRUDEOIL"],
};

/** By so much, prices of one market hardly ever differ between an image and now. */
const OTHER_MARKET_FACTOR = 2;

/**
 * Why a chart image is of another market: by its name, unless that is unknown and the price fits, or, where no name was read,
 * by a price of another size. Null if it may be of this one.
 */
export function otherMarketReason(brief: MarketBrief, chart: ChartReading): string | null {
  const { symbol, price, scale } = brief;
  const { lastPrice } = chart;
  const shownPrice = lastPrice !== null && lastPrice > 0 ? lastPrice : null;
  const ratio = shownPrice === null ? null : Math.max(shownPrice / price, price / shownPrice);
  const end = "so this is a WAIT. Its credit was returned.";
  const [mismatch] = symbolWarnings(symbol, chart.symbol);
  if (mismatch) {
    const isKnown = showsAnother(plain(chart.symbol ?? ""), symbol);
    const fits = shownPrice !== null && priceWarnings(brief, shownPrice).length === 0;
    return isKnown || !fits ? `${mismatch.slice(0, -1)}, ${end}` : null;
  }
  if (isNamed(chart) || ratio === null || ratio < OTHER_MARKET_FACTOR) return null;
  return (
    `The chart image seems to show another market, at a price of ${shownPrice} where ${symbol} is at ` +
    `${formatAtTick(price, scale)}, ${end}`
  );
}

const isNamed = ({ symbol }: ChartReading): boolean => symbol !== null && plain(symbol) !== "";

export function chartWarnings(brief: MarketBrief, chart: ChartReading | null): string[] {
  if (!chart) return [];
  return [
    ...symbolWarnings(brief.symbol, chart.symbol),
    ...priceWarnings(brief, chart.lastPrice),
    ...timeframeWarnings(brief.timeframe, chart.timeframe),
  ];
}

function symbolWarnings(symbol: string, shown: string | null): string[] {
  if (shown === null || plain(shown) === "" || showsMarket(shown, symbol)) return [];
  return [`The chart image seems to show ${quote(shown)}, not ${symbol}.`];
}

function priceWarnings(brief: MarketBrief, shown: number | null): string[] {
  const { price, scale, indicators } = brief;
  if (shown === null || !Number.isFinite(shown) || !indicators.atr14) return [];
  const distanceAtr = Math.abs(shown - price) / indicators.atr14;
  if (distanceAtr <= MAX_PRICE_DISTANCE_ATR) return [];
  return [
    `The chart image seems to show a price of ${formatAtTick(shown, scale)}, ${formatNumber(distanceAtr, 1)} ATR ` +
      `from the last close ${formatAtTick(price, scale)}: it may be old, or of another market.`,
  ];
}

function timeframeWarnings(timeframe: Timeframe, shown: string | null): string[] {
  const read = shown === null ? null : readTimeframe(shown);
  if (read === null || read === timeframe) return [];
  return [`The chart image seems to show ${read} candles, not ${timeframe}.`];
}

/** `Binance: BTC/USDT` and `BINANCE:BTCUSDT` are equal. */
const plain = (text: string) => text.toUpperCase().replaceAll(/[^A-Z0-9]/g, "");

const quote = (text: string) => JSON.stringify(cutText(text, 41));

function showsMarket(shown: string, symbol: string): boolean {
  const written = plain(shown);
  return namesOf(symbol).some((name) => written.includes(name)) && !showsAnother(written, symbol);
}

/** A longer name of another market wins: `ETHBTC` is not a bitcoin chart. */
function showsAnother(written: string, symbol: string): boolean {
  const own = Math.max(
    ...namesOf(symbol).map((name) => (written.includes(name) ? name.length : 0)),
  );
  return INSTRUMENTS.some(
    (other) =>
      other.symbol !== symbol &&
      namesOf(other.symbol).some((name) => name.length > own && written.includes(name)),
  );
}

function namesOf(symbol: string): string[] {
  const { base, quote: currency } = symbolCurrencies(symbol);
  const instrument = findInstrument(symbol);
  const dollars = isUsdLike(currency) ? [`${base}USD`] : [];
  const known = instrument
    ? [instrument.name, instrument.oanda, instrument.tradingView.split(":")[1]]
    : [];
  const others = instrument ? (OTHER_NAMES[instrument.symbol] ?? []) : [];
  return [symbol, `${base}${currency}`, ...dollars, ...known, ...others].flatMap((name) =>
    name ? [plain(name)] : [],
  );
}

function readTimeframe(shown: string): Timeframe | null {
  const text = shown.trim();
  if (/^(d|daily)$/i.test(text)) return "1d";
  // A capital M is a month.
  const match = /^(\d{1,4})\s*(m|h|d|H|D|(?:min|minute|hour|hr|day)s?)?$/.exec(text);
  if (!match) return null;
  const count = Number(match[1]);
  const unit = (match[2] ?? "m").slice(0, 1).toLowerCase();
  const isHours = unit === "m" && count >= 60 && count % 60 === 0;
  const parsed = timeframeSchema.safeParse(isHours ? `${count / 60}h` : `${count}${unit}`);
  return parsed.success ? parsed.data : null;
}
