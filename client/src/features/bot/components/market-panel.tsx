import { Tabs } from "@base-ui/react/tabs";
import { MINUTE_MS } from "@shared/contract/constants.ts";
import { findInstrument } from "@shared/contract/instruments.ts";
import { type MarketCandles, symbolSchema, TIMEFRAME_MS } from "@shared/contract/market-data.ts";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect, useMemo, useState } from "react";
import { formatDateTime, formatDuration } from "../../../lib/format.ts";
import { useNow } from "../../../lib/use-now.ts";
import { Button } from "../../../ui/button.tsx";
import { Card, Skeleton } from "../../../ui/card.tsx";
import { lazyComponent } from "../../../ui/lazy-component.tsx";
import { progressQuery, useDemoStatus, useSignal } from "../../signals/api.ts";
import { CandleChart, useChartSettings } from "../../signals/chart/candle-chart.tsx";
import { chartMarks, chartTrade } from "../../signals/chart/draw-chart.ts";
import { isRefused, type Market, useCandles } from "../../signals/chart/use-candles.ts";
import { NextEvents } from "../../signals/components/next-events.tsx";
import { tradeLevels } from "../../signals/levels.ts";
import { shownSignal, useBot } from "../bot-store.ts";

const TradingViewChart = lazyComponent(() => import("./trading-view.tsx"), "TradingViewChart", {
  fallback: <Skeleton className="size-full rounded-control" />,
});

/** The chart of the bot page: the market that the form names, with the levels of the signal that is shown. */
export function MarketPanel({ className }: { className: string }) {
  const market = useChosenMarket();
  const { symbol, timeframe } = market;
  const { tab } = useChartSettings();
  const chart = <LiveChart key={`${symbol} ${timeframe}`} market={market} />;
  return (
    <Card className={`p-4 sm:p-5 ${className}`}>
      <Tabs.Root
        value={tab}
        onValueChange={(chosen) => useChartSettings.setState({ tab: chosen })}
        className="flex h-full flex-col gap-3"
      >
        <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
          <h2 className="text-lg font-semibold tracking-tight">
            {symbol} <span className="font-normal text-ink-muted">{timeframe}</span>
          </h2>
          <div className="order-last min-w-0 flex-1 basis-full empty:hidden sm:order-none sm:basis-0">
            <NextEvents symbol={symbol} />
          </div>
          <Tabs.List
            aria-label="Chart"
            className="flex rounded-control border border-line bg-canvas p-0.5"
          >
            <Tab value="chart">Chart</Tab>
            <Tab value="tradingview">TradingView</Tab>
          </Tabs.List>
        </div>
        <Tabs.Panel value="chart" className="min-h-0 flex-1">
          {chart}
        </Tabs.Panel>
        <Tabs.Panel value="tradingview" className="min-h-0 flex-1">
          <TradingViewChart {...market} className="size-full rounded-control">
            {chart}
          </TradingViewChart>
        </Tabs.Panel>
      </Tabs.Root>
    </Card>
  );
}

const Tab = (props: { value: string; children: string }) => (
  <Tabs.Tab
    {...props}
    className="h-8 rounded-md px-3 text-sm font-medium text-ink-muted transition-colors hover:text-ink data-active:bg-raised data-active:text-ink"
  />
);

const TYPING_MS = 500;
const FIRST_SYMBOL = "BTC/USDT";

/** The market of the form; while its symbol is being typed, the last one that exists. */
function useChosenMarket(): Market {
  const { symbol: typed, timeframe } = useBot(({ inputs }) => inputs);
  const [symbol, setSymbol] = useState(() => marketOf(typed) ?? FIRST_SYMBOL);
  const { data, error } = useCandles({ symbol, timeframe });
  const [charted, setCharted] = useState(FIRST_SYMBOL);
  if (data && charted !== symbol) setCharted(symbol);
  const isUnknown = !data && isRefused(error);
  useEffect(() => {
    const market = marketOf(typed);
    if (!market && !isUnknown) return;
    const delayMs = market && findInstrument(market) ? 0 : TYPING_MS;
    const timer = setTimeout(() => setSymbol(market ?? charted), delayMs);
    return () => clearTimeout(timer);
  }, [typed, isUnknown, charted]);
  return { symbol, timeframe };
}

/** A listed market, or a pair. Anything else is still being typed. */
function marketOf(typed: string): string | undefined {
  const symbol = symbolSchema.safeParse(typed).data ?? "";
  return findInstrument(symbol) || symbol.includes("/") ? symbol : undefined;
}

function LiveChart({ market }: { market: Market }) {
  const { data, error, isFetching, refetch, dataUpdatedAt } = useCandles(market);
  const overlay = useOverlay(market, data);
  if (data) {
    return (
      <CandleChart market={market} view="latest" candles={data.candles} {...overlay}>
        <Status data={data} failedSince={error ? dataUpdatedAt : null} />
      </CandleChart>
    );
  }
  if (!error) return <Loading />;
  return (
    <Centered>
      <p role="alert" className="max-w-sm text-ink-muted text-pretty">
        {error.message}
      </p>
      <Button variant="secondary" busy={isFetching} onClick={() => void refetch()}>
        Try again
      </Button>
    </Centered>
  );
}

const Centered = ({ children }: { children: ReactNode }) => (
  <div className="flex size-full flex-col items-center justify-center gap-4 text-center">
    {children}
  </div>
);

const SLOW_MS = 4_000;

function Loading() {
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), SLOW_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div role="status" aria-label="Loading the chart" className="relative size-full">
      <Skeleton className="size-full rounded-control" />
      {isSlow && (
        <p className="absolute inset-x-0 top-1/2 text-center text-sm text-ink-muted">
          Loading candles. This takes longer than usual.
        </p>
      )}
    </div>
  );
}

/** Trade and marks of the signal that is shown, if it is one of this market and of the same kind of data. */
function useOverlay({ symbol }: Market, data: MarketCandles | undefined) {
  const tracked = useBot(shownSignal);
  const id = tracked?.symbol === symbol ? tracked.id : null;
  const { data: signal } = useSignal(id);
  const analysis = signal?.status === "completed" ? signal.analysis : null;
  const levels = analysis && tradeLevels(analysis);
  const { data: progress } = useQuery({ ...progressQuery(id ?? ""), enabled: Boolean(levels) });
  const isReplayed = analysis?.source.data === "replay";
  const fits = analysis && data && isReplayed === (data.source === "replay");
  const createdAt = fits ? signal?.created_at : undefined;
  const judgement = progress?.judgement ?? null;
  const filled = signal?.filled;
  return useMemo(() => {
    if (createdAt === undefined || !analysis) return { trade: null, marks: [] };
    const shown = { created_at: createdAt, judgement, levels: tradeLevels(analysis), filled };
    return { trade: chartTrade(shown), marks: chartMarks(shown) };
  }, [createdAt, judgement, analysis, filled]);
}

interface StatusProps {
  data: MarketCandles;
  /** When the candles were last read, if they cannot be read any more. */
  failedSince: number | null;
}

/** What a reader must know about the data, and the time until the open candle closes. */
function Status({ data, failedSince }: StatusProps) {
  const now = useNow(true);
  const last = data.candles.at(-1);
  const closesAt = last && !last.closed ? last.time + TIMEFRAME_MS[data.timeframe] : null;
  const { hasLostPrices } = useDemoStatus();
  const note = noteOf(data, { failedSince, now });
  return (
    <>
      <span role="status" className={note.isWarning ? "text-wait" : ""}>
        {note.text}
        {hasLostPrices &&
          !note.isWarning &&
          " The live feed is lost; prices come every few seconds."}
      </span>
      {closesAt !== null && (
        <span role="timer">
          {closesAt > now ? `Closes in ${formatDuration(closesAt - now)}` : "Closing"}
        </span>
      )}
    </>
  );
}

/** Candles this late are no longer those of a quiet market. */
const STALE_CANDLES = 3;

export function noteOf(
  { candles, opens_at, delay_ms, source, timeframe }: MarketCandles,
  { failedSince, now }: { failedSince: number | null; now: number },
): { text: string; isWarning: boolean } {
  const warning = (text: string) => ({ text, isWarning: true });
  if (failedSince !== null) {
    return warning(`Not updated since ${formatTime(failedSince)}. Trying again.`);
  }
  if (opens_at) return warning(`The market is closed. It opens at ${formatDateTime(opens_at)}.`);
  const last = candles.at(-1)?.time ?? 0;
  const lengthMs = TIMEFRAME_MS[timeframe];
  if (now > last + (STALE_CANDLES + 1) * lengthMs + delay_ms) {
    return warning(`There is no newer data. The last candle is of ${formatTime(last)}.`);
  }
  if (source === "replay") return { text: "Source: demo data.", isWarning: false };
  const delay =
    delay_ms > 0 ? ` Prices are delayed by up to ${Math.round(delay_ms / MINUTE_MS)} minutes.` : "";
  return { text: `Source: ${source}.${delay}`, isWarning: false };
}

const formatTime = (timeMs: number): string => formatDateTime(new Date(timeMs).toISOString());
