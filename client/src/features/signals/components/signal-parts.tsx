import type { Timeframe } from "@shared/contract/market-data.ts";
import { formatPrice } from "@shared/contract/price.ts";
import type { SignalKind, SignalOrigin, SignalSource } from "@shared/contract/signal.ts";
import { Star } from "lucide-react";
import type { ReactNode } from "react";
import { SignalBadge } from "../../../domain/signal-badge.tsx";
import { formatChange, formatMoment, formatR } from "../../../lib/format.ts";
import { useLivePrice } from "../../../lib/realtime/live-prices.ts";
import { Alert } from "../../../ui/alert.tsx";
import { useDemoStatus } from "../api.ts";
import { distancePercent, rewardToRisk, type TradeLevels } from "../levels.ts";

interface SignalLook {
  name: "buy" | "sell" | "wait";
  edge: string;
}

export const signalLooks: Record<SignalKind, SignalLook> = {
  BUY: { name: "buy", edge: "border-t-buy" },
  SELL: { name: "sell", edge: "border-t-sell" },
  WAIT: { name: "wait", edge: "border-t-wait" },
};

interface SignalHeaderProps {
  kind: SignalKind;
  symbol: string;
  timeframe: Timeframe;
  /** The main heading of the page, or one below it. */
  heading: "h1" | "h2";
  children: ReactNode;
}

export function SignalHeader(props: SignalHeaderProps) {
  const { kind, symbol, timeframe, heading: Heading, children } = props;
  return (
    <div className="flex items-center gap-4">
      <SignalBadge signal={kind} size="lg" />
      <div className="min-w-0">
        <Heading
          className={`text-xl font-semibold tracking-tight ${Heading === "h1" ? "sm:text-2xl" : ""}`}
        >
          {symbol} <span className="font-normal text-ink-muted">{timeframe}</span>
        </Heading>
        <p className="figures text-sm text-ink-faint">{children}</p>
      </div>
    </div>
  );
}

/** Says of a signal that the user has not requested why it is there. */
export function OriginMark({ origin }: { origin: SignalOrigin | undefined }) {
  if (origin !== "watchlist") return null;
  return (
    <p className="inline-flex items-center gap-1.5 text-sm text-ink-muted">
      <Star aria-hidden className="size-3.5 fill-current text-wait" />
      From your watchlist
    </p>
  );
}

interface WarningsProps {
  title: string;
  warnings: string[];
  tone?: "warning" | "info";
}

export function Warnings({ title, warnings, tone = "warning" }: WarningsProps) {
  if (warnings.length === 0) return null;
  return (
    <Alert tone={tone} title={title}>
      <ul className="flex flex-col gap-1">
        {warnings.map((warning) => (
          <li key={warning}>{warning}</li>
        ))}
      </ul>
    </Alert>
  );
}

interface PriceLevelsProps {
  levels: TradeLevels;
  /** The last close when the signal was made. */
  lastPrice: number | null;
}

/** Rows in a narrow card, columns in a wide one. */
export function PriceLevels({ levels, lastPrice }: PriceLevelsProps) {
  const { entry, stopLoss, takeProfit } = levels;
  const ratio = rewardToRisk(levels);
  const entryNote =
    lastPrice === null ? "" : `${formatChange(distancePercent(lastPrice, entry))} from last price`;
  const noteOf = (price: number, r: number) =>
    `${formatChange(distancePercent(entry, price))}${ratio === null ? "" : ` · ${formatR(r)}`}`;
  const target = noteOf(takeProfit, ratio ?? 0);
  const rows = [
    { label: "Entry", price: entry, note: entryNote, tone: "text-accent" },
    { label: "Stop loss", price: stopLoss, note: noteOf(stopLoss, -1), tone: "text-sell" },
    { label: "Take profit", price: takeProfit, note: target, tone: "text-buy" },
  ];
  return (
    <div className="flex flex-col gap-2.5">
      <dl className="grid rounded-control border border-line bg-canvas @xl:grid-cols-3">
        {rows.map(({ label, price, note, tone }) => (
          <div
            key={label}
            className="flex items-baseline justify-between gap-3 border-line px-3.5 py-2 not-first:border-t @xl:block @xl:py-3 @xl:not-first:border-t-0 @xl:not-first:border-l"
          >
            <dt className={`text-sm font-medium ${tone}`}>{label}</dt>
            <dd className="figures text-right @xl:mt-1 @xl:text-left">
              <span className="block text-lg leading-snug font-semibold tracking-tight">
                {formatPrice(price)}
              </span>
              {note && <span className="block text-xs text-ink-faint">{note}</span>}
            </dd>
          </div>
        ))}
      </dl>
      {ratio !== null && (
        <div aria-hidden className="flex h-1 gap-0.5 overflow-hidden rounded-full">
          <div className="bg-sell" style={{ flexGrow: 1 }} />
          <div className="bg-buy" style={{ flexGrow: ratio }} />
        </div>
      )}
    </div>
  );
}

interface SectionProps {
  title: string;
  heading: "h2" | "h3";
  content: string | string[];
  className?: string;
}

/** A titled text or list; nothing if the analyst left it empty. */
export function Section({ title, heading: Heading, content, className }: SectionProps) {
  if (content.length === 0 || (typeof content === "string" && content.trim() === "")) return null;
  return (
    <section className={className}>
      <Heading className="text-sm font-medium text-ink-faint">{title}</Heading>
      {typeof content === "string" ? (
        <p className="mt-1.5 max-w-prose leading-relaxed text-pretty whitespace-pre-line">
          {content}
        </p>
      ) : (
        <ul className="mt-1.5 flex list-disc flex-col gap-1.5 pl-5 leading-relaxed marker:text-ink-faint">
          {content.map((item) => (
            <li key={item}>{item}</li>
          ))}
        </ul>
      )}
    </section>
  );
}

interface CurrentPriceProps {
  symbol: string;
  levels: TradeLevels;
  /** The data that the levels are from, if it is known. */
  data?: SignalSource["data"];
}

/** A row of a list: the live price of an open signal's market, and its distance from the entry. */
export function CurrentPrice({ symbol, levels, data }: CurrentPriceProps) {
  const { isReplay, isPending } = useDemoStatus();
  const fits = data === undefined || (data === "replay") === isReplay;
  const live = useLivePrice(!isPending && fits ? symbol : undefined);
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
