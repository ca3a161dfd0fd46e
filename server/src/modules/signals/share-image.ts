import { DEFAULT_PRODUCT_NAME } from "@shared/contract/branding.ts";
import { MESSAGES } from "@shared/contract/constants.ts";
import type { Candle } from "@shared/contract/market-data.ts";
import { formatPrice } from "@shared/contract/price.ts";
import type {
  Resolution,
  SharedFrom,
  SharedSignal,
  WithheldSignal,
} from "@shared/contract/resolution.ts";
import { formatNumber } from "@shared/domain/format-price.ts";
import { html } from "@shared/runtime/html.ts";
import sharp from "sharp";
import { COLORS, type Color, text } from "../branding/preview-style.ts";

const WIDTH = 1_200;
const HEIGHT = 630;
const MARGIN = 64;

const KIND_COLORS = { BUY: "buy", SELL: "sell", WAIT: "wait" } as const;

/** How the product presents itself in a preview. */
export interface ShareLook {
  product?: string;
  /** Of the dark theme. */
  accent?: string;
  timeZone?: string;
}

/** The preview of a shared signal in other services: a PNG of 1200 × 630 pixels. */
export async function drawShareImage(
  signal: SharedSignal | WithheldSignal,
  look: ShareLook = {},
): Promise<Buffer> {
  const pixels = Buffer.alloc(WIDTH * HEIGHT * 3);
  const page: Box = { left: 0, top: 0, width: WIDTH, height: HEIGHT };
  fill(pixels, page, "canvas");
  const isWithheld = "shared_from" in signal;
  if (!isWithheld) drawChart(pixels, signal);
  return sharp(pixels, { raw: { width: WIDTH, height: HEIGHT, channels: 3 } })
    .composite([
      ...productTexts(look),
      ...(isWithheld ? withheldTexts(signal, look) : textsOf(signal, look)),
    ])
    .png()
    .toBuffer();
}

interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

function fill(pixels: Buffer, { left, top, width, height }: Box, color: Color): void {
  const row = Buffer.alloc(Math.max(1, Math.round(width)) * 3, COLORS[color].slice(1), "hex");
  const first = Math.round(top);
  const last = first + Math.max(1, Math.round(height));
  for (let y = first; y < last; y += 1) row.copy(pixels, (y * WIDTH + Math.round(left)) * 3);
}

const CHART: Box = { left: 640, top: 236, width: WIDTH - MARGIN - 640, height: 284 };
const CHART_PADDING = 16;
const CANDLES_BEFORE = 40;
const CANDLES_SINCE = 24;

/** The last candles before the signal and the first since, with the zones between its levels. */
function drawChart(pixels: Buffer, { analysis, before, since }: SharedSignal): void {
  fill(pixels, CHART, "surface");
  const seen = before.slice(-CANDLES_BEFORE);
  const candles = [...seen, ...since.slice(0, CANDLES_SINCE)];
  const { entry, stop_loss: stopLoss, take_profit: takeProfit } = analysis;
  const levels = [entry, stopLoss, takeProfit].filter((level) => level !== null);
  const high = Math.max(...levels, ...candles.map((candle) => candle.high));
  const low = Math.min(...levels, ...candles.map((candle) => candle.low));
  if (!(high > low)) return;
  const scale = (CHART.height - 2 * CHART_PADDING) / (high - low);
  const yOf = (price: number) => CHART.top + CHART_PADDING + (high - price) * scale;
  const stepPx = (CHART.width - 2 * CHART_PADDING) / (CANDLES_BEFORE + CANDLES_SINCE);
  const xOf = (index: number) => CHART.left + CHART_PADDING + index * stepPx;
  if (entry !== null && stopLoss !== null && takeProfit !== null) {
    const left = xOf(seen.length);
    const zone = { left, width: xOf(CANDLES_BEFORE + CANDLES_SINCE) - left };
    fill(pixels, { ...zone, ...between(yOf(entry), yOf(takeProfit)) }, "reward");
    fill(pixels, { ...zone, ...between(yOf(entry), yOf(stopLoss)) }, "risk");
    fill(pixels, { ...zone, top: yOf(entry), height: 2 }, "accent");
  }
  for (const [index, candle] of candles.entries()) {
    const color = candle.close >= candle.open ? "buy" : "sell";
    const width = stepPx * 0.7;
    const wick = { left: xOf(index) + width / 2 - 1, width: 2 };
    fill(pixels, { ...wick, ...between(yOf(candle.high), yOf(candle.low)) }, color);
    fill(pixels, { left: xOf(index), width, ...bodyOf(candle, yOf) }, color);
  }
}

const between = (one: number, other: number): Pick<Box, "top" | "height"> => ({
  top: Math.min(one, other),
  height: Math.abs(one - other),
});

const bodyOf = ({ open, close }: Candle, yOf: (price: number) => number) =>
  between(yOf(open), yOf(close));

const LEVELS_TOP = 244;
const LEVEL_HEIGHT = 62;
/** Longer titles are smaller, to fit. */
const MAX_LARGE_TITLE = 18;

const productTexts = ({ product = DEFAULT_PRODUCT_NAME, accent = COLORS.muted }: ShareLook) =>
  text(html`<span foreground="${accent}">${product}</span>`, {
    ...at(MARGIN, 48, 28),
    isBold: true,
  });

function textsOf(
  { symbol, timeframe, created_at, analysis, judgement }: SharedSignal,
  look: ShareLook,
) {
  const { final_signal: kind, confidence, entry } = analysis;
  const isLong = `${kind} ${symbol} ${timeframe}`.length > MAX_LARGE_TITLE;
  const title = html`${span(kind, KIND_COLORS[kind])} ${span(symbol, "ink")} ${span(timeframe, "faint")}`;
  const stated = kind === "WAIT" ? "" : ` · Confidence ${formatNumber(confidence, 1)}%`;
  const levels = [
    { name: "Entry", price: entry, color: "accent" },
    { name: "Stop loss", price: analysis.stop_loss, color: "sell" },
    { name: "Take profit", price: analysis.take_profit, color: "buy" },
  ] as const;
  const rows = levels.flatMap(({ name, price, color }, index) => {
    if (price === null) return [];
    const top = LEVELS_TOP + index * LEVEL_HEIGHT;
    return [
      text(span(name, color), { left: MARGIN, top, sizePx: 30 }),
      text(span(formatPrice(price), "ink"), { left: 250, top, sizePx: 32, isBold: true }),
      text(span(changeOf(price, entry), "faint"), { left: 520, top: top + 4, sizePx: 26 }),
    ];
  });
  const outcome = outcomeOf(kind, judgement);
  return [
    text(title, { left: MARGIN, top: 104, sizePx: isLong ? 52 : 72, isBold: true }),
    text(span(`${formatTime(created_at, look)}${stated}`, "muted"), at(MARGIN, 190, 26)),
    ...rows,
    text(span(outcome.text, outcome.color), {
      ...at(MARGIN, rows.length > 0 ? 456 : LEVELS_TOP, 36),
      isBold: true,
    }),
    text(originOf(analysis.source), at(MARGIN, 556, 26)),
    text(span("Not financial advice", "faint"), at(WIDTH - MARGIN - 240, 556, 24)),
  ].flat();
}

function withheldTexts(
  { symbol, timeframe, created_at, shared_from }: WithheldSignal,
  look: ShareLook,
) {
  const title = html`${span(symbol, "ink")} ${span(timeframe, "faint")}`;
  return [
    text(title, { left: MARGIN, top: 104, sizePx: 72, isBold: true }),
    text(span(formatTime(created_at, look), "muted"), at(MARGIN, 190, 26)),
    text(span("This trade is open", "ink"), { ...at(MARGIN, LEVELS_TOP, 36), isBold: true }),
    text(
      span(`Its levels are shown ${whenShown(shared_from, look)}.`, "muted"),
      at(MARGIN, 306, 30),
    ),
    text(span("Not financial advice", "faint"), at(WIDTH - MARGIN - 240, 556, 24)),
  ].flat();
}

const whenShown = (from: SharedFrom, look: ShareLook): string =>
  from === "outcome" ? "after its outcome" : `from ${formatTime(from, look)} on`;

const at = (left: number, top: number, sizePx: number) => ({ left, top, sizePx });

const span = (content: string, color: Color) =>
  html`<span foreground="${COLORS[color]}">${content}</span>`;

const MINUS = "\u2212";
const signed = (value: number, decimals: number): string =>
  `${value < 0 ? MINUS : "+"}${Math.abs(value).toFixed(decimals)}`;

const changeOf = (price: number, entry: number | null): string =>
  entry === null || price === entry ? "" : `${signed((100 * (price - entry)) / entry, 2)}%`;

function formatTime(iso: string, { timeZone = "UTC" }: ShareLook): string {
  const time = new Date(iso);
  const written = new Intl.DateTimeFormat("en-GB", {
    dateStyle: "medium",
    timeStyle: "short",
    timeZone,
  }).format(time);
  const zone = new Intl.DateTimeFormat("en-GB", { timeZone, timeZoneName: "short" })
    .formatToParts(time)
    .find(({ type }) => type === "timeZoneName");
  return `${written} ${zone?.value ?? timeZone}`;
}

function outcomeOf(
  kind: SharedSignal["analysis"]["final_signal"],
  judgement: Resolution | null,
): { text: string; color: Color } {
  if (kind === "WAIT") return { text: "No trade advised", color: "wait" };
  if (!judgement) return { text: "Not resolved yet", color: "muted" };
  const { outcome, reason, r_multiple: multiple } = judgement;
  const result = multiple === null ? "" : ` ${signed(multiple, 2)} R`;
  if (outcome === "WIN") return { text: `Won${result}`, color: "buy" };
  if (outcome === "LOSS") return { text: `Lost${result}`, color: "sell" };
  return { text: reason === "not-filled" ? "Not filled" : `Expired${result}`, color: "wait" };
}

function originOf({ data, analyst, demo_record: isDemo }: SharedSignal["analysis"]["source"]) {
  const maker = analyst === "rules" ? " · Rule-based analysis" : " · AI analysis";
  if (isDemo) return span(`${MESSAGES.demoRecord}${maker}`, "wait");
  if (data === "replay") return span(`Demo data, not live prices${maker}`, "wait");
  return span(`Live data${maker}`, "muted");
}
