import type { Candle } from "@shared/contract/candle.ts";
import {
  CandlestickSeries,
  createChart,
  createSeriesMarkers,
  type IChartApi,
  LineStyle,
  type SeriesMarker,
  type Time,
  type UTCTimestamp,
} from "lightweight-charts";
import { useEffect, useRef } from "react";
import { axisDecimals } from "../../../lib/format.ts";
import type { TradeLevels } from "../levels.ts";

/** Something that happened in the candle that holds `time` (Unix ms). */
export interface ChartMark {
  time: number;
  text: string;
  tone: "accent" | "buy" | "sell" | "ink-muted";
  position: "aboveBar" | "belowBar";
  shape: "circle" | "arrowUp" | "arrowDown" | "square";
}

interface CandleChartProps {
  candles: Candle[];
  levels: TradeLevels | null;
  marks?: ChartMark[];
  /** The latest candles that can be told apart, or all of them however narrow. */
  view?: "latest" | "all";
}

const LINES = { takeProfit: "Take profit", entry: "Entry", stopLoss: "Stop loss" } as const;
const NO_MARKS: ChartMark[] = [];

/** Width at which a candle's body and wick are clear, gap included. */
const CANDLE_WIDTH_PX = 9;
/** In a narrower box that shows all candles, the names would cover the latest of them. */
const NAMED_LINES_FROM_PX = 480;
/** Share of all candles that stays free at the right, so that the names cover none. */
const RIGHT_GAP_SHARE = 0.12;
/** Room to the right of the last candle, for the names of the lines. */
const RIGHT_GAP_CANDLES = 4;

/** Candles with the levels of a trade as lines, on a canvas. */
export function CandleChart({
  candles,
  levels,
  marks = NO_MARKS,
  view = "latest",
}: CandleChartProps) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!box.current) return;
    const chart = drawChart(box.current, { candles, levels, marks, view });
    return () => chart.remove();
  }, [candles, levels, marks, view]);
  return <div ref={box} aria-hidden className="size-full" />;
}

const isTimestamp = (seconds: number): seconds is UTCTimestamp => Number.isInteger(seconds);

/** The chart knows no time zones: a time is moved by the reader's offset to be shown as his own. */
function chartTime(timeMs: number): UTCTimestamp[] {
  const offsetMs = new Date(timeMs).getTimezoneOffset() * 60_000;
  return [Math.round((timeMs - offsetMs) / 1_000)].filter(isTimestamp);
}

function themeColor(element: Element, name: string): string {
  return getComputedStyle(element).getPropertyValue(`--color-${name}`).trim();
}

function drawChart(box: HTMLElement, drawing: Required<CandleChartProps>): IChartApi {
  const { candles, view } = drawing;
  const color = (name: string) => themeColor(box, name);
  const line = { color: color("line") };
  const chart = createChart(box, {
    autoSize: true,
    layout: {
      background: { color: "transparent" },
      textColor: color("ink-faint"),
      fontFamily: getComputedStyle(box).fontFamily,
      attributionLogo: false,
    },
    grid: { vertLines: line, horzLines: line },
    rightPriceScale: { borderVisible: false },
    timeScale: { borderVisible: false, timeVisible: true },
    handleScroll: { mouseWheel: false, vertTouchDrag: false },
    handleScale: { mouseWheel: false },
  });
  const namesLines = view === "latest" || box.clientWidth >= NAMED_LINES_FROM_PX;
  addCandles(chart, { ...drawing, color, namesLines });
  const widthPx = view === "all" ? Number.POSITIVE_INFINITY : box.clientWidth;
  showLatest(chart, { count: candles.length, widthPx });
  return chart;
}

/** Shows as many of the latest candles as can be told apart; the older ones are a drag away. */
function showLatest(chart: IChartApi, view: { count: number; widthPx: number }): void {
  const visible = Math.min(view.count, Math.floor(view.widthPx / CANDLE_WIDTH_PX));
  const from = view.count - visible;
  const gap = Math.max(RIGHT_GAP_CANDLES, Math.ceil(visible * RIGHT_GAP_SHARE));
  chart.timeScale().setVisibleLogicalRange({ from, to: view.count + gap });
}

function addCandles(
  chart: IChartApi,
  {
    candles,
    levels,
    marks,
    color,
    namesLines,
  }: Required<CandleChartProps> & { color(name: string): string; namesLines: boolean },
): void {
  const precision = axisDecimals(candles.at(-1)?.close ?? 1);
  const prices = levels ? [levels.entry, levels.stopLoss, levels.takeProfit] : [];
  const series = chart.addSeries(CandlestickSeries, {
    upColor: color("buy"),
    downColor: color("sell"),
    wickUpColor: color("buy"),
    wickDownColor: color("sell"),
    borderVisible: false,
    priceLineVisible: false,
    lastValueVisible: false,
    priceFormat: { type: "price", precision, minMove: 10 ** -precision },
    // The levels stay in view even where the candles do not reach them.
    autoscaleInfoProvider: (original: () => { priceRange: PriceRange | null } | null) => {
      const info = original();
      return info?.priceRange ? { ...info, priceRange: widened(info.priceRange, prices) } : info;
    },
  });
  series.setData(
    candles.flatMap(({ time, volume: _volume, ...prices }) =>
      chartTime(time).map((at) => ({ time: at, ...prices })),
    ),
  );
  createSeriesMarkers(series, placedMarks({ candles, marks, color }));
  if (!levels) return;
  const addLine = (price: number, title: string, name: string) =>
    series.createPriceLine({
      price,
      title: namesLines ? title : "",
      color: color(name),
      lineWidth: 1,
      lineStyle: LineStyle.Dashed,
      axisLabelVisible: true,
    });
  addLine(levels.takeProfit, LINES.takeProfit, "buy");
  addLine(levels.entry, LINES.entry, "accent");
  addLine(levels.stopLoss, LINES.stopLoss, "sell");
}

/** Each mark on the candle that it happened in; the chart wants them in the order of time. */
function placedMarks(on: {
  candles: Candle[];
  marks: ChartMark[];
  color(name: string): string;
}): SeriesMarker<Time>[] {
  const inOrder = on.marks.toSorted((a, b) => a.time - b.time);
  return inOrder.flatMap(({ time, tone, ...mark }) => {
    const candle = on.candles.findLast((one) => one.time <= time);
    if (!candle) return [];
    return chartTime(candle.time).map((at) => ({ ...mark, time: at, color: on.color(tone) }));
  });
}

interface PriceRange {
  minValue: number;
  maxValue: number;
}

const widened = ({ minValue, maxValue }: PriceRange, prices: number[]): PriceRange => ({
  minValue: Math.min(minValue, ...prices),
  maxValue: Math.max(maxValue, ...prices),
});
