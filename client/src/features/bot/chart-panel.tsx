import type { Candle, SignalCandles } from "@shared/contract/candle.ts";
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useId } from "react";
import { formatDateTime, formatPrice } from "../../lib/format.ts";
import type { TradeLevels } from "../../lib/trade-levels.ts";
import { Skeleton } from "../../ui/skeleton.tsx";
import { readCandles } from "./bot-api.ts";
import { resultTexts as texts } from "./texts.ts";

const CandleChart = lazy(async () => ({
  default: (await import("./candle-chart.tsx")).CandleChart,
}));

const boxClass = "h-72 w-full rounded-control sm:h-96";

/** The candles a signal was made from, with its levels: drawn, and in words. */
export function ChartPanel({ signalId, levels }: { signalId: string; levels: TradeLevels | null }) {
  const captionId = useId();
  const { data, isError } = useQuery({
    queryKey: ["candles", signalId],
    queryFn: ({ signal }) => readCandles(signalId, signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (isError) return <p className="text-sm text-ink-faint">{texts.chartMissing}</p>;
  if (!data) return <Skeleton className={boxClass} />;
  if (data.candles.length === 0) return null;
  return (
    <figure className="flex flex-col gap-3">
      <div role="img" aria-labelledby={captionId} className={boxClass}>
        <Suspense fallback={<Skeleton className={boxClass} />}>
          <CandleChart candles={data.candles} levels={levels} />
        </Suspense>
      </div>
      <figcaption className="figures flex flex-col justify-between gap-x-6 gap-y-1 text-sm text-ink-faint sm:flex-row">
        <span id={captionId}>
          {describeCandles(data)}
          {levels && <span className="sr-only">{describeLevels(levels)}</span>}
        </span>
        <a
          href="https://www.tradingview.com/"
          target="_blank"
          rel="noreferrer"
          className="shrink-0 self-start rounded underline-offset-4 hover:underline"
        >
          {texts.chartCredit}
        </a>
      </figcaption>
    </figure>
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
