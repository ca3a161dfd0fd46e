import { Form } from "@base-ui/react/form";
import { confidenceWords } from "@shared/contract/confidence-words.ts";
import { MESSAGES } from "@shared/contract/constants.ts";
import { formatPrice, plainPrice } from "@shared/contract/price.ts";
import type { HistoryItem } from "@shared/contract/signal.ts";
import { MAX_NOTE_LENGTH, rationaleText, signalNoteSchema } from "@shared/contract/signal.ts";
import { memo, type ReactNode, useState } from "react";
import { Link } from "react-router-dom";
import { DataLabel, OutcomeBadge } from "../../domain/badges.tsx";
import { SignalBadge } from "../../domain/signal-badge.tsx";
import { api } from "../../lib/api/client.ts";
import { parseForm, useFormRequest } from "../../lib/api/forms.ts";
import { formatChange, formatMoment } from "../../lib/format.ts";
import { refetch } from "../../lib/query-client.ts";
import { ErrorAlert } from "../../ui/alert.tsx";
import { Card, Skeleton } from "../../ui/card.tsx";
import { lazyComponent } from "../../ui/lazy-component.tsx";
import { LocalTime } from "../../ui/local-time.tsx";
import { FormActions, TextField } from "../../ui/text-field.tsx";
import { isFinished, signalKeys } from "../signals/apply-event.ts";
import { CurrentPrice, OriginMark, signalLooks } from "../signals/components/signal-parts.tsx";
import { TradeTimeline, tradeOfItem } from "../signals/components/trade-timeline.tsx";
import { distancePercent, type TradeLevels, tradeLevels } from "../signals/levels.ts";

const HistoryChart = lazyComponent(
  () => import("../signals/chart/signal-chart.tsx"),
  "HistoryChart",
  { fallback: <Skeleton className="size-full rounded-control" /> },
);

export const SignalCard = memo(function SignalCard({ item }: { item: HistoryItem }) {
  const levels = item.signal === "WAIT" ? null : tradeLevels(item);
  const note = levels && entryNote(item, new Date());
  const trade = tradeOfItem(item);
  const isOpen = item.status === "completed" && !item.outcome;
  return (
    <Card data-signal={signalLooks[item.signal].name} className="flex flex-col gap-4 p-5 sm:p-6">
      <header className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <SignalBadge signal={item.signal} />
        <h2 className="text-lg font-semibold tracking-tight">
          {item.symbol} <span className="font-normal text-ink-muted">{item.timeframe}</span>
        </h2>
        <p className="figures order-last w-full text-sm text-ink-faint sm:order-none sm:w-auto">
          <Link
            to={`/signals/${item.id}`}
            title="Open this signal"
            className="group/reveal rounded underline-offset-4 hover:text-ink hover:underline"
          >
            <LocalTime iso={item.timestamp} />
          </Link>
          <StatusText item={item} />
        </p>
        <div className="order-last empty:hidden sm:order-none">
          <OriginMark origin={item.origin} />
        </div>
        {item.demo_record && (
          <p className="order-last sm:order-none">
            <DataLabel>{MESSAGES.demoRecord}</DataLabel>
          </p>
        )}
        <div className="ml-auto">
          <OutcomeBadge outcome={item.outcome} />
        </div>
      </header>
      {trade && <TradeTimeline trade={trade} madeAt={item.timestamp} />}
      <div className="flex flex-col gap-4 lg:flex-row lg:items-start lg:justify-between lg:gap-10">
        {levels && (
          <Levels levels={levels}>{isOpen && <CurrentPrice {...item} levels={levels} />}</Levels>
        )}
        <div className="flex min-w-0 flex-col gap-3">
          {note && <p className="figures text-sm text-wait">{note}</p>}
          <Rationale text={rationaleText(item.rationale)} />
        </div>
      </div>
      <Note item={item} />
      {item.status === "completed" && <ChartDisclosure item={item} />}
    </Card>
  );
});

function ChartDisclosure({ item }: { item: HistoryItem }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Disclosure isOpen={isOpen} onChange={setOpen}>
        {isOpen ? "Hide chart" : "Show chart"}
      </Disclosure>
      {isOpen && (
        <div className="h-[28rem]">
          <HistoryChart item={item} />
        </div>
      )}
    </>
  );
}

function StatusText({ item }: { item: HistoryItem }) {
  if (item.status === "failed") {
    return (
      <>
        {" · "}
        <span className="text-wait">Failed</span>
      </>
    );
  }
  const text = isFinished(item.status) ? confidenceWords(item.signal, item) : "In progress";
  return text === null ? null : ` · ${text}`;
}

function Levels({ levels, children }: { levels: TradeLevels; children: ReactNode }) {
  const { entry, stopLoss, takeProfit } = levels;
  const changeOf = (price: number) => formatChange(distancePercent(entry, price));
  const rows = [
    { label: "Entry", price: entry },
    { label: "Stop loss", price: stopLoss, change: changeOf(stopLoss) },
    { label: "Take profit", price: takeProfit, change: changeOf(takeProfit) },
  ];
  return (
    <dl className="flex flex-col gap-1.5 rounded-control bg-canvas px-4 py-3 lg:order-last lg:w-[22rem] lg:shrink-0">
      {rows.map(({ label, price, change }) => (
        <div key={label} className="flex items-baseline gap-3">
          <dt className="flex-1 text-sm text-ink-faint">{label}</dt>
          <dd className="figures contents">
            <span className="font-medium">{formatPrice(price)}</span>
            <span className="w-16 text-right text-sm text-ink-faint">{change}</span>
          </dd>
        </div>
      ))}
      {children}
    </dl>
  );
}

export function entryNote(item: HistoryItem, now: Date): string | null {
  const { outcome, entry_left, filled, valid_until } = item;
  if (outcome) return null;
  if (entry_left) {
    const moment = formatMoment(entry_left.at, now);
    return `Price has left the entry zone (${plainPrice(entry_left.price)} at ${moment}).`;
  }
  if (filled || !valid_until || Date.parse(valid_until) > now.getTime()) return null;
  return `The entry was valid until ${formatMoment(valid_until, now)}.`;
}

const MAX_UNFOLDED_CHARS = 240;

function Rationale({ text }: { text: string }) {
  const [open, setOpen] = useState(false);
  if (text.trim() === "") return null;
  const isLong = text.length > MAX_UNFOLDED_CHARS;
  const folded = isLong && !open;
  return (
    <div className="flex flex-col items-start gap-1">
      <p
        className={`max-w-prose leading-relaxed text-ink-muted text-pretty whitespace-pre-line ${folded ? "line-clamp-3" : ""}`}
      >
        {text}
      </p>
      {isLong && (
        <Disclosure isOpen={open} onChange={setOpen}>
          {open ? "Show less" : "Show all"}
        </Disclosure>
      )}
    </div>
  );
}

/** What the user has written on the signal, and a form to change it. */
function Note({ item: { id, note } }: { item: HistoryItem }) {
  const [isEditing, setEditing] = useState(false);
  if (isEditing) return <NoteForm id={id} note={note ?? ""} onClose={() => setEditing(false)} />;
  return (
    <div className="flex flex-col gap-1">
      {note && (
        <p className="max-w-prose border-l-2 border-line-strong pl-3 leading-relaxed whitespace-pre-line wrap-anywhere">
          {note}
        </p>
      )}
      <Disclosure isOpen={false} onChange={setEditing}>
        {note ? "Edit note" : "Add a note"}
      </Disclosure>
    </div>
  );
}

interface NoteFormProps {
  id: string;
  note: string;
  onClose(): void;
}

function NoteForm({ id, note, onClose }: NoteFormProps) {
  const request = useFormRequest(async (form) => {
    const body = parseForm(signalNoteSchema, form);
    const route = { path: "/signals/:id/note", params: { id } } as const;
    await api({ method: "PUT", ...route, body, schema: signalNoteSchema });
    await refetch({ queryKey: signalKeys.histories });
    onClose();
  });
  return (
    <Form {...request.formProps} className="flex max-w-prose flex-col gap-3">
      <TextField
        name="note"
        label="Note"
        hint="Only you see it."
        defaultValue={note}
        maxLength={MAX_NOTE_LENGTH}
        rows={3}
        autoFocus
      />
      <ErrorAlert message={request.problem?.message} />
      <FormActions busy={request.isPending} onCancel={onClose} />
    </Form>
  );
}

interface DisclosureProps {
  isOpen: boolean;
  onChange(isOpen: boolean): void;
  children: string;
}

function Disclosure({ isOpen, onChange, children }: DisclosureProps) {
  return (
    <button
      type="button"
      aria-expanded={isOpen}
      onClick={() => onChange(!isOpen)}
      className="self-start rounded text-sm font-medium text-accent hover:text-accent-strong"
    >
      {children}
    </button>
  );
}
