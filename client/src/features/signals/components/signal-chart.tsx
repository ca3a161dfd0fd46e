import type { Candle, SignalCandles, Timeframe } from "@shared/contract/candle.ts";
import type { Resolution } from "@shared/contract/resolution.ts";
import { useQuery } from "@tanstack/react-query";
import { useCallback, useId, useMemo, useState } from "react";
import { formatDateTime, formatPrice } from "../../../lib/format.ts";
import { useTheme } from "../../../lib/theme.ts";
import { Skeleton } from "../../../ui/card.tsx";
import { lazyComponent } from "../../../ui/lazy-component.tsx";
import { candlesQuery } from "../api.ts";
import type { TradeLevels } from "../levels.ts";
import type { CandleChartProps, ChartMark } from "./candle-chart.tsx";

const CandleChart = lazyComponent(
  () => import("./candle-chart.tsx"),
  "CandleChart",
  <Skeleton className="size-full rounded-control" />,
);
const resultBox = "h-72 w-full rounded-control sm:h-96";
const MarketChart = lazyComponent(
  () => import("./market-chart.tsx"),
  "MarketChart",
  <Skeleton className={resultBox} />,
);

interface ResultChartProps {
  signalId: string;
  symbol: string;
  timeframe: Timeframe;
  levels: TradeLevels | null;
}

/** TradingView's chart of the market, or the candles and levels of the signal where that does not load. */
export function ResultChart({ signalId, symbol, timeframe, levels }: ResultChartProps) {
  const captionId = useId();
  const [loaded, setLoaded] = useState(false);
  const [showsLevels, setShowsLevels] = useState(false);
  const onLoaded = useCallback(() => setLoaded(true), []);
  const { data, isError } = useQuery(candlesQuery(signalId));
  const market = { symbol, timeframe, className: resultBox, early: true, onLoaded };
  return (
    <figure className="flex flex-col gap-3">
      <MarketChart {...market} covered={showsLevels}>
        {data && <Drawing candles={data.candles} levels={levels} captionId={captionId} />}
        {isError && (
          <p className="flex size-full items-center justify-center text-sm text-ink-faint">
            Chart unavailable.
          </p>
        )}
        {!data && !isError && <Skeleton className="size-full" />}
      </MarketChart>
      <figcaption className="figures flex min-h-10 flex-col justify-between gap-x-6 gap-y-1 text-sm text-ink-faint sm:min-h-5 sm:flex-row">
        <span id={captionId}>
          {data && describeCandles(data)}
          {levels && <span className="sr-only">{describeLevels(levels)}</span>}
        </span>
        <span className="flex shrink-0 items-start gap-5">
          {loaded && (
            <button
              type="button"
              onClick={() => setShowsLevels(!showsLevels)}
              className="rounded font-medium text-accent hover:text-accent-strong"
            >
              {showsLevels ? "Show live chart" : "Show signal levels"}
            </button>
          )}
          <TradingViewLink />
        </span>
      </figcaption>
    </figure>
  );
}

function describeCandles({ symbol, timeframe, candles }: SignalCandles): string {
  const [first, last] = [candles.at(0), candles.at(-1)];
  if (!first || !last) return "";
  const [from, to] = [first, last].map(({ time }) => formatDateTime(new Date(time).toISOString()));
  return `${symbol}, ${candles.length} candles of ${timeframe}, ${from} to ${to}. ${describePrices(candles)}`;
}

function describePrices(candles: Candle[]): string {
  const low = formatPrice(Math.min(...candles.map((candle) => candle.low)));
  const high = formatPrice(Math.max(...candles.map((candle) => candle.high)));
  return `Low ${low}, high ${high}, last close ${formatPrice(candles.at(-1)?.close ?? 0)}.`;
}

const describeLevels = ({ entry, stopLoss, takeProfit }: TradeLevels): string =>
  ` Lines: entry ${formatPrice(entry)}, stop loss ${formatPrice(stopLoss)}, take profit ${formatPrice(takeProfit)}.`;

interface SignalChartProps {
  name: string;
  createdAt: string;
  before: Candle[];
  since: Candle[];
  levels: TradeLevels | null;
  resolution: Resolution | null;
}

const MAX_CANDLES_BEFORE = 60;
const signalBox = "h-72 w-full rounded-control sm:h-[26rem]";

export function SignalChart(props: SignalChartProps) {
  const { name, createdAt, before, since, levels, resolution } = props;
  const captionId = useId();
  const candles = useMemo(() => joinCandles(before, since), [before, since]);
  const marks = useMemo(
    () => chartMarks({ createdAt, resolution, levels }),
    [createdAt, resolution, levels],
  );
  if (candles.length === 0) return <p className="text-sm text-ink-faint">Chart unavailable.</p>;
  return (
    <figure className="flex flex-col gap-3">
      <div className={signalBox}>
        <Drawing candles={candles} levels={levels} marks={marks} view="all" captionId={captionId} />
      </div>
      <figcaption className="figures flex flex-col justify-between gap-x-6 gap-y-1 text-sm text-ink-faint sm:flex-row">
        <span id={captionId}>
          {`${name}: ${before.length} candles before the signal, ${since.length} since. ${describePrices(candles)}`}
        </span>
        <span className="flex shrink-0 items-start">
          <TradingViewLink />
        </span>
      </figcaption>
    </figure>
  );
}

/** The canvas reads its colors once, so each theme has its own. */
function Drawing({ captionId, ...chart }: CandleChartProps & { captionId: string }) {
  const theme = useTheme();
  return (
    <div role="img" aria-labelledby={captionId} className="size-full">
      <CandleChart key={theme} {...chart} />
    </div>
  );
}

function TradingViewLink() {
  return (
    <a
      href="https://www.tradingview.com/"
      target="_blank"
      rel="noreferrer"
      className="rounded underline-offset-4 hover:underline"
    >
      Chart by TradingView
    </a>
  );
}

/** Where both overlap, the candles that the outcome is based on count. */
function joinCandles(before: Candle[], since: Candle[]): Candle[] {
  const [first] = since;
  const earlier = first ? before.filter(({ time }) => time < first.time) : before;
  return [...earlier.slice(-MAX_CANDLES_BEFORE), ...since];
}

const tones = { WIN: "buy", LOSS: "sell", EXPIRED: "ink-muted" } as const;

function chartMarks({
  createdAt,
  resolution,
  levels,
}: Pick<SignalChartProps, "createdAt" | "resolution" | "levels">): ChartMark[] {
  const marks: ChartMark[] = [
    {
      time: Date.parse(createdAt),
      text: "Signal",
      tone: "accent",
      position: "aboveBar",
      shape: "circle",
    },
  ];
  if (!resolution || !levels) return marks;
  const { filled_at, exited_at, reason, outcome } = resolution;
  const isBuy = levels.takeProfit > levels.entry;
  if (filled_at !== null) {
    const look = isBuy
      ? ({ tone: "buy", position: "belowBar", shape: "arrowUp" } as const)
      : ({ tone: "sell", position: "aboveBar", shape: "arrowDown" } as const);
    marks.push({ ...look, time: Date.parse(filled_at), text: "Fill" });
  }
  if (exited_at !== null) {
    // The close of a candle is the first moment of the next one.
    const time = Date.parse(exited_at) - (reason === "hold-over" ? 1 : 0);
    const position = isBuy ? "aboveBar" : "belowBar";
    marks.push({ time, text: "Exit", tone: tones[outcome], position, shape: "square" });
  }
  return marks;
}
