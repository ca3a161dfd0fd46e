import type { Candle } from "@shared/contract/candle.ts";
import {
  type AutoscaleInfo,
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

/** A mark on the candle that contains `time` (Unix milliseconds). */
export interface ChartMark {
  time: number;
  text: string;
  tone: "accent" | "buy" | "sell" | "ink-muted";
  position: "aboveBar" | "belowBar";
  shape: "circle" | "arrowUp" | "arrowDown" | "square";
}

export interface CandleChartProps {
  candles: Candle[];
  levels: TradeLevels | null;
  marks?: ChartMark[];
  /** `latest` shows as many candles as are legible, `all` shows all, however narrow. */
  view?: "latest" | "all";
}

const NO_MARKS: ChartMark[] = [];

const MIN_LEGIBLE_CANDLE_PX = 9;
/** In a narrower box that shows all candles, the names of the lines would cover the latest ones. */
const MIN_NAMED_LINES_PX = 480;
/** Space to the right of the last candle, for the names of the lines. */
const RIGHT_GAP_SHARE = 0.12;
const MIN_RIGHT_GAP_CANDLES = 4;

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

/** The chart has no time zones: a time is shifted by the local offset. */
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
  const namesLines = view === "latest" || box.clientWidth >= MIN_NAMED_LINES_PX;
  addCandles(chart, { ...drawing, color, namesLines });
  const { length } = candles;
  const legible = Math.floor(box.clientWidth / MIN_LEGIBLE_CANDLE_PX);
  const visible = view === "all" ? length : Math.min(length, legible);
  const gap = Math.max(MIN_RIGHT_GAP_CANDLES, Math.ceil(visible * RIGHT_GAP_SHARE));
  chart.timeScale().setVisibleLogicalRange({ from: length - visible, to: length + gap });
  return chart;
}

interface Drawing extends Required<CandleChartProps> {
  color(name: string): string;
  namesLines: boolean;
}

function addCandles(chart: IChartApi, drawing: Drawing): void {
  const { candles, levels, color, namesLines } = drawing;
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
    // Keeps the levels in view where the candles do not reach them.
    autoscaleInfoProvider: (original: () => AutoscaleInfo | null) => {
      const info = original();
      if (!info?.priceRange) return info;
      const { minValue, maxValue } = info.priceRange;
      const priceRange = {
        minValue: Math.min(minValue, ...prices),
        maxValue: Math.max(maxValue, ...prices),
      };
      return { ...info, priceRange };
    },
  });
  series.setData(
    candles.flatMap(({ time, volume: _volume, ...prices }) =>
      chartTime(time).map((at) => ({ time: at, ...prices })),
    ),
  );
  createSeriesMarkers(series, placedMarks(drawing));
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
  addLine(levels.takeProfit, "Take profit", "buy");
  addLine(levels.entry, "Entry", "accent");
  addLine(levels.stopLoss, "Stop loss", "sell");
}

/** The chart requires marks on times of candles, in order. */
function placedMarks({ candles, marks, color }: Drawing): SeriesMarker<Time>[] {
  const inOrder = marks.toSorted((a, b) => a.time - b.time);
  return inOrder.flatMap(({ time, tone, ...mark }) => {
    const candle = candles.findLast((one) => one.time <= time);
    if (!candle) return [];
    return chartTime(candle.time).map((at) => ({ ...mark, time: at, color: color(tone) }));
  });
}
