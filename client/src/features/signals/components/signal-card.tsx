import type { HistoryItem } from "@shared/contract/signal.ts";
import { useState } from "react";
import { Link } from "react-router-dom";
import { confidenceWords } from "../../../lib/confidence.ts";
import { formatChange, formatMoment, formatPrice, formatPriceInText } from "../../../lib/format.ts";
import { Card } from "../../../ui/card.tsx";
import { LocalTime } from "../../../ui/local-time.tsx";
import { OutcomeBadge } from "../../../ui/outcome-badge.tsx";
import { SignalBadge } from "../../../ui/signal-badge.tsx";
import { isFinished } from "../apply-event.ts";
import { distancePercent, type TradeLevels, tradeLevels } from "../levels.ts";
import { entryMessages, historyMessages } from "../messages.ts";

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
            title={historyMessages.open}
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
  if (item.status === "failed") return <span className="text-wait">{historyMessages.failed}</span>;
  if (!isFinished(item.status)) return historyMessages.inProgress;
  const { signal, confidence, calibrated_confidence: calibrated } = item;
  return confidenceWords({ signal, confidence, calibrated });
}

function Levels({ levels: { entry, stopLoss, takeProfit } }: { levels: TradeLevels }) {
  return (
    <dl className="flex flex-col gap-1.5 rounded-control bg-canvas px-4 py-3 lg:order-last lg:w-[22rem] lg:shrink-0">
      <Level label={historyMessages.entry} price={entry} />
      <Level label={historyMessages.stopLoss} price={stopLoss} from={entry} />
      <Level label={historyMessages.takeProfit} price={takeProfit} from={entry} />
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

/** Why a trade that is not over yet can no longer be entered as it was advised; nothing while it can. */
function EntryNote({ item }: { item: HistoryItem }) {
  const text = entryNote(item, new Date());
  return text && <p className="figures text-sm text-wait">{text}</p>;
}

/** The note in words; null while the entry can be had, and once the trade is judged. */
export function entryNote(
  { outcome, entry_left, valid_until }: HistoryItem,
  now: Date,
): string | null {
  if (outcome) return null;
  if (entry_left) {
    const at = formatMoment(entry_left.at, now);
    return entryMessages.left({ price: formatPriceInText(entry_left.price), at });
  }
  if (!valid_until || Date.parse(valid_until) > now.getTime()) return null;
  return entryMessages.expired(formatMoment(valid_until, now));
}

/** Longer texts are folded, so that the list stays easy to run through. */
const FOLD_ABOVE_CHARS = 240;

/** Why a signal said what it said. */
function Rationale({ text }: { text: string }) {
  const [open, setOpen] = useState(false);
  if (text.trim() === "") return null;
  const isLong = text.length > FOLD_ABOVE_CHARS;
  const folded = isLong && !open;
  return (
    <div className="flex flex-col items-start gap-1">
      <p
        className={`max-w-prose leading-relaxed text-ink-muted text-pretty whitespace-pre-line ${folded ? "line-clamp-3" : ""}`}
      >
        {text}
      </p>
      {isLong && (
        <button
          type="button"
          aria-expanded={open}
          onClick={() => setOpen(!open)}
          className="rounded text-sm font-medium text-accent hover:text-accent-strong"
        >
          {open ? historyMessages.less : historyMessages.more}
        </button>
      )}
    </div>
  );
}
