import type { Timeframe } from "@shared/contract/market-data.ts";
import type { SignalSource } from "@shared/contract/signal.ts";
import { formatChange, formatMoment, formatPrice } from "../../../lib/format.ts";
import { useLivePrice } from "../../../lib/realtime/live-prices.ts";
import { useDemoStatus } from "../api.ts";
import { distancePercent, hasLivePrices, type TradeLevels } from "../levels.ts";

interface CurrentPriceProps {
  symbol: string;
  timeframe: Timeframe;
  levels: TradeLevels;
  /** The data that the levels are from, if it is known. */
  data?: SignalSource["data"];
}

/** A row of a list: the live price of an open signal's market, and its distance from the entry. */
export function CurrentPrice({ symbol, timeframe, levels, data }: CurrentPriceProps) {
  const { isReplay, isPending } = useDemoStatus();
  const fits = data === undefined || (data === "replay") === isReplay;
  const isShown = !isPending && fits && hasLivePrices({ timeframe, isReplay });
  const live = useLivePrice(isShown ? symbol : undefined);
  if (!live) return null;
  const { price, at, isStale } = live;
  return (
    <div data-stale={isStale || undefined} className="flex items-baseline gap-3">
      <dt className={`flex-1 text-sm ${isStale ? "text-wait" : "text-ink-faint"}`}>
        {isStale ? `Stale price of ${formatMoment(at, new Date())}` : "Price now"}
        {isReplay && ", demo data"}
      </dt>
      <dd className={`figures contents ${isStale ? "text-ink-faint" : ""}`}>
        <span className={isStale ? "text-ink-faint" : "font-medium"}>{formatPrice(price)}</span>
        <span className="w-16 text-right text-sm text-ink-faint">
          {formatChange(distancePercent(levels.entry, price))}
        </span>
      </dd>
    </div>
  );
}
