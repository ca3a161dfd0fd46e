import type { Candle } from "@shared/contract/market-data.ts";
import type { SharedSignal } from "@shared/contract/resolution.ts";
import type { Filled, HistoryItem } from "@shared/contract/signal.ts";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { Skeleton } from "../../../ui/card.tsx";
import { LoadError } from "../../../ui/load-states.tsx";
import { candlesQuery, progressQuery } from "../api.ts";
import { type TradeLevels, tradeLevels } from "../levels.ts";
import { CandleChart } from "./candle-chart.tsx";
import { chartMarks, chartTrade } from "./draw-chart.ts";
import { useCandles } from "./use-candles.ts";

const MAX_CANDLES_BEFORE = 60;

interface SignalChartProps {
  signal: SharedSignal & { filled?: Filled | null | undefined };
  levels: TradeLevels | null;
}

/** The chart of a signal's page: the candles before and since the signal, up to now while its trade is open. */
export function SignalChart({ signal, levels }: SignalChartProps) {
  const { symbol, timeframe, before, since, judgement, analysis } = signal;
  const isOpen = levels !== null && !judgement;
  const { data } = useCandles({ symbol, timeframe }, isOpen);
  const isSameData = (data?.source === "replay") === (analysis.source.data === "replay");
  const now = isOpen && isSameData ? data?.candles : undefined;
  const sinceThen = useMemo(() => {
    const last = (since.at(-1) ?? before.at(-1))?.time ?? 0;
    return [...since, ...(now?.filter(({ time }) => time > last) ?? [])];
  }, [before, since, now]);
  return <StoredChart signal={{ ...signal, since: sinceThen }} levels={levels} />;
}

type StoredSignal = Pick<
  SharedSignal,
  "symbol" | "timeframe" | "before" | "since" | "created_at" | "judgement"
> & { filled?: Filled | null | undefined };

function StoredChart({ signal, levels }: { signal: StoredSignal; levels: TradeLevels | null }) {
  const { before, since, created_at, judgement, filled } = signal;
  const candles = useMemo(() => joinCandles(before, since), [before, since]);
  const overlay = useMemo(() => {
    const shown = { created_at, judgement, levels, filled };
    return { trade: chartTrade(shown), marks: chartMarks(shown) };
  }, [created_at, judgement, levels, filled]);
  if (candles.length === 0) return <p className="text-sm text-ink-faint">Chart unavailable.</p>;
  return (
    <CandleChart market={signal} view="all" candles={candles} {...overlay}>
      <span>{`${before.length} candles before the signal, ${since.length} since.`}</span>
    </CandleChart>
  );
}

export function HistoryChart({ item }: { item: HistoryItem }) {
  const { id, timestamp: created_at, symbol, timeframe, filled } = item;
  const candles = useQuery(candlesQuery(id));
  const progress = useQuery(progressQuery(id));
  const levels = useMemo(() => (item.signal === "WAIT" ? null : tradeLevels(item)), [item]);
  if (candles.data && progress.data) {
    const [before, { candles: since, judgement }] = [candles.data.candles, progress.data];
    const signal = { symbol, timeframe, created_at, before, since, judgement, filled };
    return <StoredChart signal={signal} levels={levels} />;
  }
  if (!candles.error && !progress.error) return <Skeleton className="size-full rounded-control" />;
  const retry = () => Promise.all([candles.refetch(), progress.refetch()]);
  return <LoadError title="We couldn't load this chart." onRetry={retry} />;
}

/** Where both overlap, the candles that the outcome is based on count. */
function joinCandles(before: Candle[], since: Candle[]): Candle[] {
  const [first] = since;
  const earlier = first ? before.filter(({ time }) => time < first.time) : before;
  return [...earlier.slice(-MAX_CANDLES_BEFORE), ...since];
}
