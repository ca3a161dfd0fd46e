import type { Candle } from "@shared/contract/market-data.ts";
import { formatPrice, plainPrice } from "@shared/contract/price.ts";
import { type LucideIcon, Maximize2, Table2, ZoomIn, ZoomOut } from "lucide-react";
import { type ReactNode, useEffect, useId, useMemo, useRef, useState } from "react";
import { z } from "zod";
import { create } from "zustand";
import { persist } from "zustand/middleware";
import { formatChange, formatDateTime } from "../../../lib/format.ts";
import { useTheme } from "../../../lib/theme.ts";
import { distancePercent, type TradeLevels } from "../levels.ts";
import { type ChartContent, type DrawnChart, drawChart } from "./draw-chart.ts";
import { type IndicatorLine, indicatorLines } from "./indicator-lines.ts";
import type { Market } from "./use-candles.ts";

const settingsSchema = z.object({
  tab: z.enum(["chart", "tradingview"]),
  ema: z.boolean(),
  atrBands: z.boolean(),
});
type ChartSettings = z.infer<typeof settingsSchema>;

const defaults: ChartSettings = { tab: "chart", ema: true, atrBands: false };

/** What the user has chosen to see, kept in this browser. */
export const useChartSettings = create<ChartSettings>()(
  persist(() => defaults, {
    name: "chart",
    merge: (stored, current) => ({ ...current, ...settingsSchema.safeParse(stored).data }),
  }),
);

interface CandleChartProps extends Omit<ChartContent, "lines"> {
  market: Market;
  /** `latest` starts with as many candles as are legible, `all` with all of them. */
  view: "latest" | "all";
  /** Notes below the chart. */
  children?: ReactNode;
}

/** Candles with volume, indicators and the levels of a signal. Everything it shows is there as text, too. */
export function CandleChart({ market, view, children, ...content }: CandleChartProps) {
  const { candles, trade, marks } = content;
  const { ema, atrBands } = useChartSettings();
  const theme = useTheme();
  const captionId = useId();
  const chart = useRef<DrawnChart>(null);
  const [hovered, setHovered] = useState<number | null>(null);
  const [showsTable, setShowsTable] = useState(false);
  const lines = useMemo(() => indicatorLines(candles, { ema, atrBands }), [candles, ema, atrBands]);
  const description = useMemo(() => describe(market, candles), [market, candles]);
  const drawing = useMemo(() => ({ candles, trade, marks, lines }), [candles, trade, marks, lines]);
  return (
    <figure className="flex size-full flex-col gap-3">
      <Controls showsTable={showsTable} onTable={setShowsTable} chart={chart} />
      <Legend candles={candles} lines={lines} at={showsTable ? null : hovered} />
      <div className="relative min-h-0 flex-1">
        {showsTable ? (
          <CandleTable candles={candles} market={market} />
        ) : (
          <div role="img" aria-labelledby={captionId} className="size-full">
            {/* The canvas reads its colors once, so each theme has its own. */}
            <Canvas key={theme} view={view} drawing={drawing} chart={chart} onHover={setHovered} />
          </div>
        )}
      </div>
      <figcaption className="figures flex flex-wrap items-baseline justify-between gap-x-6 gap-y-1 text-sm text-ink-faint">
        <span id={captionId} className="sr-only">
          {description}
          {trade && describeLevels(trade.levels)}
        </span>
        {children}
        <a
          href="https://www.tradingview.com/"
          target="_blank"
          rel="noreferrer"
          className="ml-auto rounded underline-offset-4 hover:underline"
        >
          Chart by TradingView
        </a>
      </figcaption>
    </figure>
  );
}

interface CanvasProps {
  view: "latest" | "all";
  drawing: ChartContent;
  chart: { current: DrawnChart | null };
  onHover(index: number | null): void;
}

function Canvas({ view, drawing, chart, onHover }: CanvasProps) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!box.current) return;
    const drawn = drawChart(box.current, { view, onHover });
    chart.current = drawn;
    return () => {
      chart.current = null;
      drawn.remove();
    };
  }, [view, chart, onHover]);
  useEffect(() => chart.current?.show(drawing), [chart, drawing]);
  return <div ref={box} aria-hidden className="absolute inset-0" />;
}

const controlClass =
  "flex h-8 items-center justify-center rounded-md px-2 text-sm font-medium text-ink-muted transition-colors hover:bg-raised hover:text-ink disabled:opacity-40 aria-pressed:bg-raised aria-pressed:text-ink sm:px-2.5";

interface ControlsProps {
  chart: CanvasProps["chart"];
  showsTable: boolean;
  onTable(shows: boolean): void;
}

function Controls({ chart, showsTable, onTable }: ControlsProps) {
  const { ema, atrBands } = useChartSettings();
  const iconButton = (name: string, Icon: LucideIcon, run: () => void) => (
    <button
      type="button"
      title={name}
      aria-label={name}
      disabled={showsTable}
      onClick={run}
      className={controlClass}
    >
      <Icon aria-hidden className="size-4 shrink-0" />
    </button>
  );
  return (
    <fieldset className="flex flex-wrap items-center gap-0.5 sm:gap-1">
      <legend className="sr-only">Chart controls</legend>
      <Toggle isOn={ema} onChange={(on) => useChartSettings.setState({ ema: on })}>
        EMA
      </Toggle>
      <Toggle isOn={atrBands} onChange={(on) => useChartSettings.setState({ atrBands: on })}>
        ATR bands
      </Toggle>
      <span className="ml-auto" />
      {iconButton("Zoom out", ZoomOut, () => chart.current?.zoom(1.5))}
      {iconButton("Zoom in", ZoomIn, () => chart.current?.zoom(1 / 1.5))}
      {iconButton("Reset view", Maximize2, () => chart.current?.showLatest())}
      <Toggle isOn={showsTable} onChange={onTable}>
        <Table2 aria-hidden className="size-4 sm:mr-1.5" />
        <span className="max-sm:sr-only">Table</span>
      </Toggle>
    </fieldset>
  );
}

interface ToggleProps {
  isOn: boolean;
  onChange(isOn: boolean): void;
  children: ReactNode;
}

const Toggle = ({ isOn, onChange, children }: ToggleProps) => (
  <button
    type="button"
    aria-pressed={isOn}
    onClick={() => onChange(!isOn)}
    className={controlClass}
  >
    {children}
  </button>
);

interface LegendProps {
  candles: readonly Candle[];
  lines: readonly IndicatorLine[];
  /** Index of a candle; the newest one if null. */
  at: number | null;
}

/** The prices of the candle below the pointer, or of the newest one. */
function Legend({ candles, lines, at }: LegendProps) {
  const index = at !== null && at < candles.length ? at : candles.length - 1;
  const candle = candles[index];
  if (!candle) return null;
  const { time, open, high, low, close, volume } = candle;
  const change = distancePercent(candles[index - 1]?.close ?? open, close);
  const prices = { Open: open, High: high, Low: low };
  return (
    <div className="flex flex-col gap-1">
      <p className="figures text-sm text-ink-faint">
        {at === null ? "Newest candle" : "Candle"}, {formatTime(time)}
      </p>
      <dl className="figures flex flex-wrap gap-x-4 gap-y-0.5 text-sm">
        <Fact label={at === null ? "Last price" : "Close"}>{formatPrice(close)}</Fact>
        <Fact label="Change" tone={change < 0 ? "text-sell" : "text-buy"}>
          {formatChange(change)}
        </Fact>
        {Object.entries(prices).map(([label, price]) => (
          <Fact key={label} label={label}>
            {formatPrice(price)}
          </Fact>
        ))}
        <Fact label="Volume">{volume > 0 ? compact.format(volume) : "–"}</Fact>
        {lines.map(({ name, values }) => (
          <Fact key={name} label={name}>
            {formatValue(values[index])}
          </Fact>
        ))}
      </dl>
    </div>
  );
}

const compact = new Intl.NumberFormat("en-US", { notation: "compact", maximumFractionDigits: 2 });

const formatTime = (timeMs: number): string => formatDateTime(new Date(timeMs).toISOString());

const formatValue = (value: number | null | undefined): string =>
  value ? formatPrice(value) : "–";

interface FactProps {
  label: string;
  tone?: string;
  children: ReactNode;
}

const Fact = ({ label, tone = "", children }: FactProps) => (
  <div className="flex items-baseline gap-1.5">
    <dt className="text-xs text-ink-faint">{label}</dt>
    <dd className={`font-medium ${tone}`}>{children}</dd>
  </div>
);

const TABLE_ROWS = 100;
const TABLE_COLUMNS = ["open", "high", "low", "close"] as const;

function CandleTable({ candles, market }: { candles: readonly Candle[]; market: Market }) {
  const rows = candles.slice(-TABLE_ROWS).toReversed();
  const name = `Candles of ${market.symbol}, ${market.timeframe}, newest first`;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must be able to scroll it
    <section aria-label={name} tabIndex={0} className="absolute inset-0 overflow-auto rounded-md">
      <table className="figures w-full text-right text-sm">
        <thead className="sticky top-0 bg-surface text-ink-faint">
          <tr>
            <th scope="col" className="py-1.5 pr-3 text-left font-medium">
              Time
            </th>
            {[...TABLE_COLUMNS, "volume"].map((column) => (
              <th key={column} scope="col" className="px-3 py-1.5 font-medium capitalize">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((candle) => (
            <tr key={candle.time} className="border-t border-line">
              <th scope="row" className="py-1.5 pr-3 text-left font-normal whitespace-nowrap">
                {formatTime(candle.time)}
              </th>
              {TABLE_COLUMNS.map((column) => (
                <td key={column} className="px-3 py-1.5">
                  {formatPrice(candle[column])}
                </td>
              ))}
              <td className="px-3 py-1.5">{compact.format(candle.volume)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function describe({ symbol, timeframe }: Market, candles: readonly Candle[]): string {
  const first = candles.at(0);
  const last = candles.at(-1);
  if (!first || !last) return "";
  const low = plainPrice(Math.min(...candles.map((candle) => candle.low)));
  const high = plainPrice(Math.max(...candles.map((candle) => candle.high)));
  const range = `${formatTime(first.time)} to ${formatTime(last.time)}`;
  return `${symbol}, ${candles.length} candles of ${timeframe}, ${range}. Low ${low}, high ${high}, last price ${plainPrice(last.close)}.`;
}

function describeLevels({ entry, stopLoss, takeProfit }: TradeLevels): string {
  const [at, stop, target] = [entry, stopLoss, takeProfit].map(plainPrice);
  return ` Lines: entry ${at}, stop loss ${stop}, take profit ${target}.`;
}
