import type { Candle } from "@shared/contract/market-data.ts";
import { priceDecimals } from "@shared/contract/price.ts";
import type { SharedSignal } from "@shared/contract/resolution.ts";
import type { Filled } from "@shared/contract/signal.ts";
import {
  BaselineSeries,
  CandlestickSeries,
  createChart,
  createSeriesMarkers,
  HistogramSeries,
  type IChartApi,
  type IPriceLine,
  type ISeriesApi,
  LineSeries,
  LineStyle,
  type SeriesMarker,
  type Time,
  type UTCTimestamp,
} from "lightweight-charts";
import type { TradeLevels } from "../levels.ts";
import type { IndicatorLine } from "./indicator-lines.ts";

/** A mark on the candle that contains `time` (Unix milliseconds). */
interface ChartMark {
  time: number;
  text: string;
  tone: "accent" | "buy" | "sell" | "ink-muted";
  position: "aboveBar" | "belowBar";
  shape: "circle" | "arrowUp" | "arrowDown" | "square";
}

/** A signal's trade. Reward and risk are shaded in its time, in Unix milliseconds. */
interface ChartTrade {
  levels: TradeLevels;
  from: number;
  /** Null while the trade is open. */
  until: number | null;
}

export interface ChartContent {
  candles: Candle[];
  trade: ChartTrade | null;
  marks: ChartMark[];
  lines: IndicatorLine[];
}

export interface DrawnChart {
  show(content: ChartContent): void;
  /** More than 1 shows more candles. */
  zoom(factor: number): void;
  showLatest(): void;
  remove(): void;
}

interface DrawOptions {
  /** `latest` starts with as many candles as are legible, `all` with all, however narrow. */
  view: "latest" | "all";
  /** The candle below the pointer, by its index. */
  onHover(index: number | null): void;
}

const MIN_LEGIBLE_CANDLE_PX = 9;
/** In a narrower box, the names of the lines would cover the latest candles. */
const MIN_NAMED_LINES_PX = 480;
/** Space to the right of the last candle, for the names of the lines. */
const RIGHT_GAP_SHARE = 0.12;
const MIN_RIGHT_GAP_CANDLES = 4;
const VOLUME_TOP = 0.84;
/** Free height above and below the candles, as a share of the chart's. */
const GAP = 0.06;
/** How far the zones of an open trade reach beyond the newest candle. */
const ZONE_CANDLES_AHEAD = 6;

export function drawChart(box: HTMLElement, { view, onHover }: DrawOptions): DrawnChart {
  const color = readColors(box);
  const chart = createBareChart(box, color);
  const layers = addLayers(chart, color);
  let shown: ChartContent = { candles: [], trade: null, marks: [], lines: [] };
  const showLatest = () => {
    const count = shown.candles.length;
    const legible = Math.floor(box.clientWidth / MIN_LEGIBLE_CANDLE_PX);
    const visible = view === "all" ? count : Math.min(count, legible);
    const gap = Math.max(MIN_RIGHT_GAP_CANDLES, Math.ceil(visible * RIGHT_GAP_SHARE));
    chart.timeScale().setVisibleLogicalRange({ from: count - visible, to: count + gap });
  };
  chart.subscribeCrosshairMove(({ logical }) => {
    const isCandle = logical !== undefined && logical >= 0 && logical < shown.candles.length;
    onHover(isCandle ? Math.round(logical) : null);
  });
  zoomByWheelOnceClicked(box, chart);
  return {
    show(content) {
      const before = shown;
      shown = content;
      if (isMove(before, content)) return moveLayers(layers, content, color);
      const namesLines = box.clientWidth >= MIN_NAMED_LINES_PX;
      fillLayers(layers, content, { chart, color, namesLines });
      showPrecision(layers, content);
      if (before.candles.length === 0) showLatest();
    },
    zoom(factor) {
      const range = chart.timeScale().getVisibleLogicalRange();
      if (!range) return;
      const from = range.to - (range.to - range.from) * factor;
      chart.timeScale().setVisibleLogicalRange({ from, to: range.to });
    },
    showLatest,
    remove: () => chart.remove(),
  };
}

type Color = (name: string) => string;

/** Reads each color of the theme once: it takes the browser longer than to draw the candle. */
function readColors(box: HTMLElement): Color {
  const style = getComputedStyle(box);
  const read = new Map<string, string>();
  return (name) => {
    const known = read.get(name) ?? style.getPropertyValue(`--color-${name}`).trim();
    read.set(name, known);
    return known;
  };
}

function createBareChart(box: HTMLElement, color: Color): IChartApi {
  const line = { color: color("line") };
  return createChart(box, {
    autoSize: true,
    layout: {
      background: { color: "transparent" },
      textColor: color("ink-faint"),
      fontFamily: getComputedStyle(box).fontFamily,
      attributionLogo: false,
    },
    grid: { vertLines: line, horzLines: line },
    rightPriceScale: { borderVisible: false, entireTextOnly: true },
    timeScale: { borderVisible: false, timeVisible: true },
    handleScroll: { mouseWheel: false, vertTouchDrag: false },
    handleScale: { mouseWheel: false },
  });
}

/** Until the chart is clicked, the wheel scrolls the page. */
function zoomByWheelOnceClicked(box: HTMLElement, chart: IChartApi): void {
  const setWheel = (mouseWheel: boolean) =>
    chart.applyOptions({ handleScroll: { mouseWheel }, handleScale: { mouseWheel } });
  box.addEventListener("pointerdown", () => setWheel(true));
  box.addEventListener("pointerleave", () => setWheel(false));
}

/** The chart has no time zones: times are shifted by one offset, so that they stay in order when clocks change. */
function timeShift(candles: readonly Candle[]): (timeMs: number) => UTCTimestamp[] {
  const offsetMs = new Date(candles.at(-1)?.time ?? 0).getTimezoneOffset() * 60_000;
  return (timeMs) => [Math.round((timeMs - offsetMs) / 1_000)].filter(isTimestamp);
}

const isTimestamp = (seconds: number): seconds is UTCTimestamp => Number.isInteger(seconds);

const bare = { priceLineVisible: false, lastValueVisible: false } as const;
const bareLine = { ...bare, crosshairMarkerVisible: false, lineWidth: 1 } as const;

function addLayers(chart: IChartApi, color: Color) {
  const zone = (tone: string) => {
    const fill = `${color(tone)}2b`;
    return chart.addSeries(BaselineSeries, {
      ...bareLine,
      lineVisible: false,
      topFillColor1: fill,
      topFillColor2: fill,
      bottomFillColor1: fill,
      bottomFillColor2: fill,
    });
  };
  const volume = chart.addSeries(HistogramSeries, {
    ...bare,
    priceScaleId: "volume",
    priceFormat: { type: "volume" },
  });
  volume.priceScale().applyOptions({ scaleMargins: { top: VOLUME_TOP, bottom: 0 } });
  const reward = zone("buy");
  const risk = zone("sell");
  const candles = chart.addSeries(CandlestickSeries, {
    upColor: color("buy"),
    downColor: color("sell"),
    wickUpColor: color("buy"),
    wickDownColor: color("sell"),
    borderVisible: false,
    lastValueVisible: true,
    priceLineVisible: true,
    priceLineStyle: LineStyle.Dotted,
  });
  const marks = createSeriesMarkers(candles, []);
  return { volume, reward, risk, candles, marks, lines: newList(), levels: newLevels() };
}

const newList = (): ISeriesApi<"Line">[] => [];
const newLevels = (): IPriceLine[] => [];

interface Paint {
  chart: IChartApi;
  color: Color;
  namesLines: boolean;
}

type Layers = ReturnType<typeof addLayers>;

function fillLayers(layers: Layers, content: ChartContent, paint: Paint): void {
  const { candles, marks, trade } = content;
  const { color } = paint;
  const shift = timeShift(candles);
  layers.candles.setData(
    candles.flatMap((candle) => shift(candle.time).map((time) => candleBar(candle, time))),
  );
  layers.volume.setData(
    candles
      .filter(isTraded)
      .flatMap((candle) => shift(candle.time).map((time) => volumeBar(candle, time, color))),
  );
  const bottom = candles.some(isTraded) ? 1 - VOLUME_TOP + GAP : GAP;
  layers.candles.priceScale().applyOptions({ scaleMargins: { top: GAP, bottom } });
  layers.marks.setMarkers(placedMarks(candles, { marks, shift, color }));
  showLines(layers, content, { ...paint, shift });
  showTrade(layers, candles, { trade, shift });
  showLevels(layers, trade?.levels ?? null, paint);
}

/** The axis takes its format from any of its series, so all of them have the same. */
function showPrecision({ reward, risk, candles, lines }: Layers, content: ChartContent): void {
  const precision = priceDecimals(content.candles.at(-1)?.close ?? 1);
  const priceFormat = { type: "price", precision, minMove: 10 ** -precision } as const;
  for (const series of [reward, risk, candles, ...lines]) series.applyOptions({ priceFormat });
}

const candleBar = ({ open, high, low, close }: Candle, time: UTCTimestamp) => ({
  time,
  open,
  high,
  low,
  close,
});

/** Many markets have no volume at any provider: without it, there is nothing below their candles. */
const isTraded = ({ volume }: Candle): boolean => volume > 0;

const volumeBar = ({ open, close, volume }: Candle, time: UTCTimestamp, color: Color) => ({
  time,
  value: volume,
  color: `${color(close < open ? "sell" : "buy")}55`,
});

/** Whether nothing but the newest candle has changed, as with each live price. */
function isMove(before: ChartContent, content: ChartContent): boolean {
  const { candles, trade, marks, lines } = content;
  return (
    trade === before.trade &&
    marks === before.marks &&
    lines.every(({ name }, index) => name === before.lines[index]?.name) &&
    lines.length === before.lines.length &&
    candles.length === before.candles.length &&
    candles.at(-1)?.time === before.candles.at(-1)?.time &&
    candles.slice(0, -1).every((candle, index) => candle === before.candles[index])
  );
}

function moveLayers(layers: Layers, { candles, lines }: ChartContent, color: Color): void {
  const last = candles.at(-1);
  if (!last) return;
  for (const time of timeShift(candles)(last.time)) {
    layers.candles.update(candleBar(last, time));
    if (isTraded(last)) layers.volume.update(volumeBar(last, time, color));
    for (const [index, { values }] of lines.entries()) {
      const value = values.at(-1) ?? null;
      if (value !== null) layers.lines[index]?.update({ time, value });
    }
  }
}

type Shift = ReturnType<typeof timeShift>;

function showLines(
  layers: Layers,
  { candles, lines }: ChartContent,
  { chart, color, shift }: Paint & { shift: Shift },
): void {
  for (const line of layers.lines.splice(lines.length)) chart.removeSeries(line);
  for (const [index, { tone, values }] of lines.entries()) {
    const series = layers.lines[index] ?? chart.addSeries(LineSeries, bareLine);
    layers.lines[index] = series;
    series.applyOptions({ color: color(tone) });
    series.setData(
      candles.flatMap(({ time }, at) => {
        const value = values[at] ?? null;
        return value === null ? [] : shift(time).map((shifted) => ({ time: shifted, value }));
      }),
    );
  }
}

function showTrade(
  { reward, risk }: Layers,
  candles: readonly Candle[],
  { trade, shift }: { trade: ChartTrade | null; shift: Shift },
): void {
  const times = trade ? zoneTimes(candles, trade).flatMap(shift) : [];
  const show = (series: ISeriesApi<"Baseline">, value: number, entry: number) => {
    series.applyOptions({ baseValue: { type: "price", price: entry } });
    series.setData(times.map((time) => ({ time, value })));
  };
  const { entry, takeProfit, stopLoss } = trade?.levels ?? { entry: 0, takeProfit: 0, stopLoss: 0 };
  show(reward, takeProfit, entry);
  show(risk, stopLoss, entry);
}

/** From the candle of the signal to that of the exit, or some candles beyond the newest one. */
function zoneTimes(candles: readonly Candle[], { from, until }: ChartTrade): number[] {
  const first = candles.findLastIndex(({ time }) => time <= from);
  const [previous, last] = candles.slice(-2);
  if (!previous || !last) return [];
  const times = candles.slice(Math.max(0, first)).map(({ time }) => time);
  if (until !== null) return times.filter((time) => time <= until);
  const ahead = Array.from(
    { length: ZONE_CANDLES_AHEAD },
    (_, index) => last.time + (index + 1) * (last.time - previous.time),
  );
  return [...times, ...ahead];
}

function showLevels(
  { candles, levels: drawn }: Layers,
  levels: TradeLevels | null,
  { color, namesLines }: Paint,
): void {
  for (const line of drawn.splice(0)) candles.removePriceLine(line);
  if (!levels) return;
  const rows = [
    { price: levels.takeProfit, title: "Take profit", tone: "buy" },
    { price: levels.entry, title: "Entry", tone: "accent" },
    { price: levels.stopLoss, title: "Stop loss", tone: "sell" },
  ];
  for (const { price, title, tone } of rows) {
    const line = candles.createPriceLine({
      price,
      title: namesLines ? title : "",
      color: color(tone),
      lineWidth: 1,
      lineStyle: LineStyle.Dashed,
      axisLabelVisible: true,
    });
    drawn.push(line);
  }
}

/** The chart requires marks on times of candles, in order. */
function placedMarks(
  candles: readonly Candle[],
  { marks, shift, color }: { marks: ChartMark[]; shift: Shift; color: Color },
): SeriesMarker<Time>[] {
  const inOrder = marks.toSorted((a, b) => a.time - b.time);
  return inOrder.flatMap(({ time, tone, ...mark }) => {
    const candle = candles.findLast((one) => one.time <= time);
    if (!candle) return [];
    return shift(candle.time).map((at) => ({ ...mark, time: at, color: color(tone) }));
  });
}

interface MarkedSignal extends Pick<SharedSignal, "created_at" | "judgement"> {
  levels: TradeLevels | null;
  /** Of an open trade. */
  filled?: Filled | null | undefined;
}

export function chartTrade({ created_at, judgement, levels }: MarkedSignal): ChartTrade | null {
  if (!levels) return null;
  const endedAt = judgement && (judgement.exited_at ?? judgement.resolved_at);
  const until = endedAt ? Date.parse(endedAt) : null;
  return { levels, from: Date.parse(created_at), until };
}

const tones = { WIN: "buy", LOSS: "sell", EXPIRED: "ink-muted" } as const;

export function chartMarks({ created_at, judgement, levels, filled }: MarkedSignal): ChartMark[] {
  const marks: ChartMark[] = [
    {
      time: Date.parse(created_at),
      text: "Signal",
      tone: "accent",
      position: "aboveBar",
      shape: "circle",
    },
  ];
  if (!levels) return marks;
  const isBuy = levels.takeProfit > levels.entry;
  const filledAt = judgement ? judgement.filled_at : filled?.at;
  if (filledAt) {
    const look = isBuy
      ? ({ tone: "buy", position: "belowBar", shape: "arrowUp" } as const)
      : ({ tone: "sell", position: "aboveBar", shape: "arrowDown" } as const);
    marks.push({ ...look, time: Date.parse(filledAt), text: "Fill" });
  }
  if (!judgement) return marks;
  const { exited_at, reason, outcome } = judgement;
  if (exited_at !== null) {
    // The close of a candle is the first moment of the next one.
    const time = Date.parse(exited_at) - (reason === "hold-over" || reason === "no-data" ? 1 : 0);
    const position = isBuy ? "aboveBar" : "belowBar";
    marks.push({ time, text: "Exit", tone: tones[outcome], position, shape: "square" });
  }
  return marks;
}
