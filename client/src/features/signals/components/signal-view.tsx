import type { Candle, SignalCandles, Timeframe } from "@shared/contract/candle.ts";
import { useQuery } from "@tanstack/react-query";
import { lazy, type ReactNode, Suspense, useCallback, useId, useState } from "react";
import { formatDateTime, formatPrice } from "../../../lib/format.ts";
import { useTheme } from "../../../lib/theme.ts";
import { Skeleton } from "../../../ui/card.tsx";
import { candlesQuery } from "../api.ts";
import { chartMessages, resultMessages as texts } from "../bot-messages.ts";
import { isLate, type TrackedSignal } from "../bot-store.ts";
import { useNow } from "../hooks/use-now.ts";
import { useSignal } from "../hooks/use-signal.ts";
import { type TradeLevels, tradeLevels } from "../levels.ts";
import { PendingCard, type Stage, TimeoutAlert } from "./pending-card.tsx";
import { ResultCard } from "./result-card.tsx";

/** Not part of the first load. */
const ResultFollow = lazy(async () => ({
  default: (await import("./result-follow.tsx")).ResultFollow,
}));

/** A tracked signal: its result, or how far it has come. */
export function SignalView({ tracked }: { tracked: TrackedSignal }) {
  const { data: signal } = useSignal(tracked.id);
  if (!signal?.analysis) {
    const stage = signal?.status === "running" ? "running" : "queued";
    return <PendingSignal tracked={tracked} stage={stage} />;
  }
  const { signal_id, symbol, timeframe, status, created_at, analysis } = signal;
  const levels = tradeLevels(analysis);
  return (
    <ResultCard
      symbol={symbol}
      timeframe={timeframe}
      createdAt={created_at}
      analysis={analysis}
      entryLeft={signal.entry_left}
      chart={
        status === "completed" && (
          <>
            <ChartPanel
              signalId={signal_id}
              symbol={symbol}
              timeframe={timeframe}
              levels={levels}
            />
            <Suspense fallback={null}>
              <ResultFollow id={signal_id} isTrade={levels !== null} />
            </Suspense>
          </>
        )
      }
    />
  );
}

function PendingSignal({ tracked, stage }: { tracked: TrackedSignal; stage: Stage }) {
  const { symbol, timeframe, requestedAt } = tracked;
  const late = isLate(tracked, useNow(true));
  return (
    <>
      {late && <TimeoutAlert />}
      <PendingCard symbol={symbol} timeframe={timeframe} stage={stage} requestedAt={requestedAt} />
    </>
  );
}

const CandleChart = lazy(async () => ({
  default: (await import("./candle-chart.tsx")).CandleChart,
}));
const MarketChart = lazy(async () => ({
  default: (await import("./market-chart.tsx")).MarketChart,
}));

interface ChartPanelProps {
  signalId: string;
  symbol: string;
  timeframe: Timeframe;
  levels: TradeLevels | null;
}

const boxClass = "h-72 w-full rounded-control sm:h-96";

/**
 * The candles a signal was made from, with its levels: drawn, and in words. TradingView's chart of the market takes the
 * place of the drawing where it loads; the drawing is a press away then.
 */
export function ChartPanel({ signalId, symbol, timeframe, levels }: ChartPanelProps) {
  const captionId = useId();
  const [loaded, setLoaded] = useState(false);
  const [drawn, setDrawn] = useState(false);
  const onLoaded = useCallback(() => setLoaded(true), []);
  const { data, isError } = useQuery(candlesQuery(signalId));
  const box = { symbol, timeframe, className: boxClass, covered: drawn, early: true, onLoaded };
  return (
    <figure className="flex flex-col gap-3">
      <Suspense fallback={<Skeleton className={boxClass} />}>
        <MarketChart {...box}>
          {data && <Drawing candles={data.candles} levels={levels} captionId={captionId} />}
          {isError && <Missing />}
          {!data && !isError && <Skeleton className="size-full" />}
        </MarketChart>
      </Suspense>
      <figcaption className="figures flex min-h-10 flex-col justify-between gap-x-6 gap-y-1 text-sm text-ink-faint sm:min-h-5 sm:flex-row">
        <span id={captionId}>
          {data && describeCandles(data)}
          {levels && <span className="sr-only">{describeLevels(levels)}</span>}
        </span>
        <Credit>
          {loaded && (
            <button
              type="button"
              onClick={() => setDrawn(!drawn)}
              className="rounded font-medium text-accent hover:text-accent-strong"
            >
              {drawn ? chartMessages.showLive : chartMessages.showLevels}
            </button>
          )}
        </Credit>
      </figcaption>
    </figure>
  );
}

interface DrawingProps {
  candles: Candle[];
  levels: TradeLevels | null;
  captionId: string;
}

/** The canvas takes its colours once, so each theme has its own. */
function Drawing({ captionId, ...drawing }: DrawingProps) {
  const theme = useTheme();
  return (
    <div role="img" aria-labelledby={captionId} className="size-full">
      <CandleChart key={theme} {...drawing} />
    </div>
  );
}

function Missing() {
  return (
    <p className="flex size-full items-center justify-center text-sm text-ink-faint">
      {texts.chartMissing}
    </p>
  );
}

function Credit({ children }: { children: ReactNode }) {
  return (
    <span className="flex shrink-0 items-start gap-5">
      {children}
      <a
        href="https://www.tradingview.com/"
        target="_blank"
        rel="noreferrer"
        className="rounded underline-offset-4 hover:underline"
      >
        {texts.chartCredit}
      </a>
    </span>
  );
}

/** The chart in words, for whoever does not see it. */
function describeCandles({ symbol, timeframe, candles }: SignalCandles): string {
  const range = priceRange(candles);
  if (!range) return "";
  const { first, last, low, high } = range;
  return texts.candles({
    symbol,
    timeframe,
    count: candles.length,
    from: formatDateTime(new Date(first.time).toISOString()),
    to: formatDateTime(new Date(last.time).toISOString()),
    low: formatPrice(low),
    high: formatPrice(high),
    close: formatPrice(last.close),
  });
}

const describeLevels = ({ entry, stopLoss, takeProfit }: TradeLevels): string =>
  texts.drawn({
    entry: formatPrice(entry),
    stopLoss: formatPrice(stopLoss),
    takeProfit: formatPrice(takeProfit),
  });

function priceRange(candles: Candle[]) {
  const [first] = candles;
  const last = candles.at(-1);
  if (!first || !last) return null;
  return {
    first,
    last,
    low: Math.min(...candles.map((candle) => candle.low)),
    high: Math.max(...candles.map((candle) => candle.high)),
  };
}
