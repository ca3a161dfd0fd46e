import type { HistoryItem } from "@shared/contract/signal.ts";
import { Link } from "react-router-dom";
import { confidenceWords } from "../../lib/confidence.ts";
import { formatChange, formatPrice } from "../../lib/format.ts";
import { isFinished } from "../../lib/live/live-state.ts";
import { distancePercent, type TradeLevels, tradeLevels } from "../../lib/trade-levels.ts";
import { Card } from "../../ui/card.tsx";
import { LocalTime } from "../../ui/local-time.tsx";
import { OutcomeBadge } from "../../ui/outcome-badge.tsx";
import { SignalBadge } from "../../ui/signal-badge.tsx";
import { EntryNote } from "./entry-note.tsx";
import { Rationale } from "./rationale.tsx";
import { linkTexts, historyTexts as texts } from "./texts.ts";

const kinds = { BUY: "buy", SELL: "sell", WAIT: "wait" } as const;

/** One signal of the history; a WAIT has no levels. */
export function SignalCard({ item }: { item: HistoryItem }) {
  const levels = item.signal === "WAIT" ? null : tradeLevels(item);
  return (
    <Card data-signal={kinds[item.signal]} className="flex flex-col gap-4 p-5 sm:p-6">
      <header className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <SignalBadge signal={item.signal} />
        <h2 className="text-lg font-semibold tracking-tight">
          {item.symbol} <span className="font-normal text-ink-muted">{item.timeframe}</span>
        </h2>
        <p className="figures order-last w-full text-sm text-ink-faint sm:order-none sm:w-auto">
          <Link
            to={`/signals/${item.id}`}
            title={linkTexts.open}
            className="group/reveal rounded underline-offset-4 hover:text-ink hover:underline"
          >
            <LocalTime iso={item.timestamp} />
          </Link>
          {" · "}
          <StatusText item={item} />
        </p>
        <div className="ml-auto">
          <OutcomeBadge outcome={item.outcome} />
        </div>
      </header>
      <div className="flex flex-col gap-4 lg:flex-row lg:items-start lg:justify-between lg:gap-10">
        {levels && <Levels levels={levels} />}
        <div className="flex min-w-0 flex-col gap-3">
          {levels && <EntryNote item={item} />}
          <Rationale text={item.rationale} />
        </div>
      </div>
    </Card>
  );
}

function StatusText({ item }: { item: HistoryItem }) {
  if (item.status === "failed") return <span className="text-wait">{texts.failed}</span>;
  if (!isFinished(item.status)) return texts.inProgress;
  const { signal, confidence, calibrated_confidence: calibrated } = item;
  return confidenceWords({ signal, confidence, calibrated });
}

function Levels({ levels: { entry, stopLoss, takeProfit } }: { levels: TradeLevels }) {
  return (
    <dl className="flex flex-col gap-1.5 rounded-control bg-canvas px-4 py-3 lg:order-last lg:w-[22rem] lg:shrink-0">
      <Level label={texts.entry} price={entry} />
      <Level label={texts.stopLoss} price={stopLoss} from={entry} />
      <Level label={texts.takeProfit} price={takeProfit} from={entry} />
    </dl>
  );
}

function Level({ label, price, from }: { label: string; price: number; from?: number }) {
  return (
    <div className="flex items-baseline gap-3">
      <dt className="flex-1 text-sm text-ink-faint">{label}</dt>
      <dd className="figures contents">
        <span className="font-medium">{formatPrice(price)}</span>
        <span className="w-16 text-right text-sm text-ink-faint">
          {from !== undefined && formatChange(distancePercent(from, price))}
        </span>
      </dd>
    </div>
  );
}
