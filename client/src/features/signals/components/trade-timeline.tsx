import type { Resolution } from "@shared/contract/resolution.ts";
import type { Filled, HistoryItem, SignalResponse } from "@shared/contract/signal.ts";
import { useEffect } from "react";
import { useLivePrice } from "../../../lib/realtime/live-prices.ts";
import { LocalTime } from "../../../ui/local-time.tsx";
import { setTitleStatus } from "../../../ui/page-heading.tsx";
import { useDemoStatus } from "../api.ts";
import { tradeLevels } from "../levels.ts";
import { type FollowedTrade, followTrade, type TradeStep } from "../trade-progress.ts";

type Followable = Pick<
  SignalResponse,
  "symbol" | "created_at" | "analysis" | "filled" | "entry_left" | "outcome"
>;

type Ending = Pick<Resolution, "r_multiple" | "reason"> &
  Partial<Pick<Resolution, "fill" | "filled_at">>;

export function tradeOfSignal(signal: Followable, ending?: Ending | null): FollowedTrade | null {
  const { symbol, analysis, filled, entry_left, outcome } = signal;
  const levels = analysis && tradeLevels(analysis);
  if (!levels) return null;
  return {
    symbol,
    levels,
    r: ending?.r_multiple ?? null,
    isFillUnknown: ending?.reason === "no-data",
    filled: filled ?? fillOf(ending),
    entryLeft: entry_left ?? null,
    outcome: outcome ?? null,
    signalPrice: analysis.source.price,
    askedAt: signal.created_at,
    validUntil: analysis.valid_until ?? null,
    isReplayed: analysis.source.data === "replay",
  };
}

/** A trade that ended before its signal was asked for has no fill of its own. */
const fillOf = (ending: Ending | null | undefined): Filled | null =>
  typeof ending?.fill === "number" && ending.filled_at
    ? { price: ending.fill, at: ending.filled_at }
    : null;

/** The trade of an item, which lacks the price of its signal. */
export function tradeOfItem(item: HistoryItem): FollowedTrade | null {
  const levels = item.signal === "WAIT" ? null : tradeLevels(item);
  if (!levels) return null;
  const { symbol, filled, entry_left, outcome, valid_until } = item;
  return {
    symbol,
    levels,
    r: item.r_multiple ?? null,
    isFillUnknown: item.without_data ?? false,
    filled: filled ?? null,
    entryLeft: entry_left ?? null,
    outcome: outcome ?? null,
    signalPrice: null,
    askedAt: item.timestamp,
    validUntil: valid_until ?? null,
    isReplayed: null,
  };
}

function useProgress(trade: FollowedTrade) {
  const { isReplay } = useDemoStatus();
  const fits = trade.isReplayed === null || trade.isReplayed === isReplay;
  const live = useLivePrice(fits && !trade.outcome ? trade.symbol : undefined);
  return followTrade(trade, live, new Date());
}

/** Shows the state of an open trade in the title of the tab. */
export function TradeTitle({ trade }: { trade: FollowedTrade }) {
  const { title } = useProgress(trade);
  const status = title && `${title} ${trade.symbol}`;
  useEffect(() => {
    setTitleStatus(status);
    return () => setTitleStatus(null);
  }, [status]);
  return null;
}

interface TradeTimelineProps {
  trade: FollowedTrade;
  /** When the signal was made. */
  madeAt: string;
}

export function TradeTimeline({ trade, madeAt }: TradeTimelineProps) {
  const { steps } = useProgress(trade);
  return <Timeline steps={steps} madeAt={madeAt} isOpen={trade.outcome === null} />;
}

interface TimelineProps extends Pick<TradeTimelineProps, "madeAt"> {
  steps: TradeStep[];
  isOpen: boolean;
}

export function Timeline({ steps, madeAt, isOpen }: TimelineProps) {
  return (
    <section aria-label="Trade progress" className="@container flex flex-col gap-2">
      <ol className="grid grid-cols-2 gap-x-1.5 gap-y-3 @lg:flex @lg:*:flex-1">
        <Step name="Signal" at={madeAt} detail={null} state="done" tone="accent" />
        {steps.map((step, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a step has a fixed place
          <Step key={index} {...step} />
        ))}
      </ol>
      {isOpen && (
        <p className="text-xs text-ink-faint text-pretty">
          Live values are provisional until the candle closes.
        </p>
      )}
    </section>
  );
}

const bars = {
  accent: "bg-accent",
  buy: "bg-buy",
  sell: "bg-sell",
  wait: "bg-wait",
  neutral: "bg-ink-faint",
} as const;

const texts = {
  accent: "text-ink",
  buy: "text-buy",
  sell: "text-sell",
  wait: "text-wait",
  neutral: "text-ink-muted",
} as const;

function Step({ name, detail, at, state, tone }: TradeStep) {
  const bar = state === "waiting" ? "bg-raised" : bars[tone];
  const text = state === "waiting" ? "text-ink-faint" : texts[tone];
  return (
    <li className="min-w-0">
      <div
        aria-hidden
        className={`h-1 rounded-full ${bar} ${state === "provisional" ? "opacity-50" : ""}`}
      />
      <p className={`mt-2 text-sm leading-snug font-medium ${text}`}>{name}</p>
      <p className="figures text-sm leading-snug text-ink-faint empty:hidden">
        {detail}
        {detail && at && ", "}
        {at && <LocalTime iso={at} />}
      </p>
    </li>
  );
}
