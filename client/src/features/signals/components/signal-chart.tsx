import type { Candle } from "@shared/contract/candle.ts";
import type { Resolution } from "@shared/contract/resolution.ts";
import { lazy, Suspense, useId, useMemo } from "react";
import { formatPrice } from "../../../lib/format.ts";
import { useTheme } from "../../../lib/theme.ts";
import { Skeleton } from "../../../ui/card.tsx";
import type { TradeLevels } from "../levels.ts";
import { chartMessages as texts } from "../messages.ts";
import type { ChartMark } from "./candle-chart.tsx";

const CandleChart = lazy(async () => ({
  default: (await import("./candle-chart.tsx")).CandleChart,
}));

/** Enough to see where the market came from. */
const BEFORE_SHOWN = 60;
const boxClass = "h-72 w-full rounded-control sm:h-[26rem]";

interface SignalChartProps {
  /** Of the market, e.g. `BTC/USDT 1h`. */
  name: string;
  /** ISO time. */
  createdAt: string;
  before: Candle[];
  since: Candle[];
  levels: TradeLevels | null;
  judgement: Resolution | null;
}

/** The market before a signal and since, with the levels of the trade, its fill and its end: drawn, and in words. */
export function SignalChart(props: SignalChartProps) {
  const { name, createdAt, before, since, levels, judgement } = props;
  const captionId = useId();
  // The canvas takes its colours once, so each theme has its own.
  const theme = useTheme();
  const candles = useMemo(() => joined(before, since), [before, since]);
  const marks = useMemo(
    () => chartMarks({ createdAt, judgement, levels }),
    [createdAt, judgement, levels],
  );
  const [last] = candles.slice(-1);
  if (!last) return <p className="text-sm text-ink-faint">{texts.none}</p>;
  const words = texts.words({
    name,
    before: before.length,
    since: since.length,
    low: formatPrice(Math.min(...candles.map((candle) => candle.low))),
    high: formatPrice(Math.max(...candles.map((candle) => candle.high))),
    close: formatPrice(last.close),
  });
  return (
    <figure className="flex flex-col gap-3">
      <div role="img" aria-labelledby={captionId} className={boxClass}>
        <Suspense fallback={<Skeleton className={boxClass} />}>
          <CandleChart key={theme} candles={candles} levels={levels} marks={marks} view="all" />
        </Suspense>
      </div>
      <figcaption className="figures flex flex-col justify-between gap-x-6 gap-y-1 text-sm text-ink-faint sm:flex-row">
        <span id={captionId}>{words}</span>
        <a
          href="https://www.tradingview.com/"
          target="_blank"
          rel="noreferrer"
          className="shrink-0 self-start rounded underline-offset-4 hover:underline"
        >
          {texts.credit}
        </a>
      </figcaption>
    </figure>
  );
}

/** One series of both; where they overlap, what was judged by counts. */
function joined(before: Candle[], since: Candle[]): Candle[] {
  const [first] = since;
  const earlier = first ? before.filter(({ time }) => time < first.time) : before;
  return [...earlier.slice(-BEFORE_SHOWN), ...since];
}

const tones = { WIN: "buy", LOSS: "sell", EXPIRED: "ink-muted" } as const;

/** What happened to a signal, for the chart: when it was made, filled and closed. */
function chartMarks(of: {
  createdAt: string;
  judgement: Resolution | null;
  levels: TradeLevels | null;
}): ChartMark[] {
  const { createdAt, judgement, levels } = of;
  const made: ChartMark = {
    time: Date.parse(createdAt),
    text: texts.made,
    tone: "accent",
    position: "aboveBar",
    shape: "circle",
  };
  if (!judgement || !levels) return [made];
  const isBuy = levels.takeProfit > levels.entry;
  return [made, ...fillMark(judgement, isBuy), ...exitMark(judgement, isBuy)];
}

function fillMark({ filled_at }: Resolution, isBuy: boolean): ChartMark[] {
  if (filled_at === null) return [];
  const look = isBuy
    ? ({ tone: "buy", position: "belowBar", shape: "arrowUp" } as const)
    : ({ tone: "sell", position: "aboveBar", shape: "arrowDown" } as const);
  return [{ ...look, time: Date.parse(filled_at), text: texts.fill }];
}

function exitMark({ exited_at, reason, outcome }: Resolution, isBuy: boolean): ChartMark[] {
  if (exited_at === null) return [];
  // The close of a candle is the first moment of the next one.
  const time = Date.parse(exited_at) - (reason === "hold-over" ? 1 : 0);
  const position = isBuy ? "aboveBar" : "belowBar";
  return [{ time, text: texts.exit, tone: tones[outcome], position, shape: "square" }];
}
