import type { Candle } from "@shared/contract/candle.ts";
import {
  CandlestickSeries,
  createChart,
  type IChartApi,
  LineStyle,
  type UTCTimestamp,
} from "lightweight-charts";
import { useEffect, useRef } from "react";
import { axisDecimals } from "../../lib/format.ts";
import type { TradeLevels } from "../../lib/trade-levels.ts";
import { resultTexts as texts } from "./texts.ts";

interface CandleChartProps {
  candles: Candle[];
  levels: TradeLevels | null;
}

/** Width at which a candle's body and wick are clear, gap included. */
const CANDLE_WIDTH_PX = 9;
/** Room to the right of the last candle, for the names of the lines. */
const RIGHT_GAP_CANDLES = 4;

/** Candles with the levels of a trade as lines, on a canvas. */
export function CandleChart({ candles, levels }: CandleChartProps) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!box.current) return;
    const chart = drawChart(box.current, { candles, levels });
    return () => chart.remove();
  }, [candles, levels]);
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

function drawChart(box: HTMLElement, { candles, levels }: CandleChartProps): IChartApi {
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
  addCandles(chart, { candles, levels, color });
  showLatest(chart, { count: candles.length, widthPx: box.clientWidth });
  return chart;
}

/** Shows as many of the latest candles as can be told apart; the older ones are a drag away. */
function showLatest(chart: IChartApi, view: { count: number; widthPx: number }): void {
  const visible = Math.min(view.count, Math.floor(view.widthPx / CANDLE_WIDTH_PX));
  const from = view.count - visible;
  chart.timeScale().setVisibleLogicalRange({ from, to: view.count + RIGHT_GAP_CANDLES });
}

function addCandles(
  chart: IChartApi,
  { candles, levels, color }: CandleChartProps & { color(name: string): string },
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
  if (!levels) return;
  const addLine = (price: number, title: string, name: string) =>
    series.createPriceLine({
      price,
      title,
      color: color(name),
      lineWidth: 1,
      lineStyle: LineStyle.Dashed,
      axisLabelVisible: true,
    });
  addLine(levels.takeProfit, texts.takeProfit, "buy");
  addLine(levels.entry, texts.entry, "accent");
  addLine(levels.stopLoss, texts.stopLoss, "sell");
}

interface PriceRange {
  minValue: number;
  maxValue: number;
}

const widened = ({ minValue, maxValue }: PriceRange, prices: number[]): PriceRange => ({
  minValue: Math.min(minValue, ...prices),
  maxValue: Math.max(maxValue, ...prices),
});
