import { Form } from "@base-ui/react/form";
import { confidenceWords } from "@shared/contract/confidence-words.ts";
import { MESSAGES } from "@shared/contract/constants.ts";
import { formatPrice, plainPrice } from "@shared/contract/price.ts";
import type { HistoryItem } from "@shared/contract/signal.ts";
import { MAX_NOTE_LENGTH, rationaleText, signalNoteSchema } from "@shared/contract/signal.ts";
import { useQuery } from "@tanstack/react-query";
import { ChevronDown } from "lucide-react";
import { memo, useId, useState } from "react";
import { Link } from "react-router-dom";
import { OutcomeBadge } from "../../domain/badges.tsx";
import { SignalBadge } from "../../domain/signal-badge.tsx";
import { unitName } from "../../domain/symbols.ts";
import { api } from "../../lib/api/client.ts";
import { parseForm, useFormRequest } from "../../lib/api/forms.ts";
import {
  formatConfidence,
  formatMoment,
  formatR,
  formatUnits,
  formatUsd,
} from "../../lib/format.ts";
import { refetch } from "../../lib/query-client.ts";
import { ErrorAlert } from "../../ui/alert.tsx";
import { TextLink } from "../../ui/button.tsx";
import { Skeleton } from "../../ui/card.tsx";
import { lazyComponent } from "../../ui/lazy-component.tsx";
import { LocalTime } from "../../ui/local-time.tsx";
import { FormActions, TextField } from "../../ui/text-field.tsx";
import { progressQuery } from "../signals/api.ts";
import { isFinished, signalKeys } from "../signals/apply-event.ts";
import { CurrentPrice, OriginMark, signalLooks } from "../signals/components/signal-parts.tsx";
import { TradeTimeline, tradeOfItem } from "../signals/components/trade-timeline.tsx";
import { formatProfit } from "../signals/format-profit.ts";
import { type TradeLevels, tradeLevels } from "../signals/levels.ts";

const HistoryChart = lazyComponent(
  () => import("../signals/chart/signal-chart.tsx"),
  "HistoryChart",
  { fallback: <Skeleton className="size-full rounded-control" /> },
);

/** The same places in every row of a wide screen. */
const columns =
  "lg:grid lg:grid-cols-[5.25rem_minmax(0,1fr)_19.5rem_7.5rem_9.5rem_6.5rem_2rem] lg:items-center lg:gap-x-4";

/** Names of the columns; each value says its own to screen readers. */
export const RowHeadings = () => (
  <div aria-hidden className={`${columns} hidden px-4 text-xs text-ink-faint`}>
    <span>Signal</span>
    <span>Market, time</span>
    <span className="grid grid-cols-3 gap-2 text-right">
      <span>Entry</span>
      <span>Stop loss</span>
      <span>Take profit</span>
    </span>
    <span className="text-right">Size</span>
    <span>Outcome</span>
    <span className="text-right">Result</span>
  </div>
);

interface SignalCardProps {
  item: HistoryItem;
  /** Older signals of the same analysis. */
  earlier: readonly HistoryItem[];
}

/** A row on wide screens, a dense card on phones. What explains the signal is folded away. */
export const SignalCard = memo(function SignalCard({ item, earlier }: SignalCardProps) {
  const [isOpen, setOpen] = useState(false);
  const levels = item.signal === "WAIT" ? null : tradeLevels(item);
  const id = useId();
  return (
    <article
      data-signal={signalLooks[item.signal].name}
      className="rounded-card border border-line bg-surface lg:rounded-none lg:border-0 lg:border-b"
    >
      <div
        className={`grid grid-cols-[auto_minmax(0,1fr)_auto] items-center gap-x-3 gap-y-1.5 px-4 py-2 lg:min-h-15 lg:py-1.5 ${columns}`}
      >
        <SignalBadge signal={item.signal} />
        <Market item={item} timesAsked={earlier.length + 1} isAlone={levels !== null} />
        {levels ? <Levels levels={levels} /> : <span className="max-lg:hidden" />}
        <div className={`flex items-center gap-3 lg:contents ${levels ? "col-span-3" : ""}`}>
          <Size item={item} />
          <div className="max-lg:order-first">{levels && <State item={item} />}</div>
          <div className="lg:text-right">{levels && <Result item={item} />}</div>
          <button
            type="button"
            aria-expanded={isOpen}
            aria-controls={id}
            aria-label={`Details of ${item.signal} ${item.symbol}`}
            onClick={() => setOpen(!isOpen)}
            className="flex size-8 shrink-0 items-center justify-center justify-self-end rounded-lg text-ink-faint hover:bg-raised hover:text-ink max-lg:-my-1 max-lg:-mr-2 max-lg:ml-auto"
          >
            <ChevronDown
              aria-hidden
              className={`size-5 transition-transform ${isOpen ? "rotate-180" : ""}`}
            />
          </button>
        </div>
      </div>
      <div id={id} hidden={!isOpen}>
        {isOpen && <Details item={item} earlier={earlier} levels={levels} />}
      </div>
    </article>
  );
});

interface MarketProps {
  item: HistoryItem;
  timesAsked: number;
  /** Whether nothing stands beside it on phones. */
  isAlone: boolean;
}

function Market({ item, timesAsked, isAlone }: MarketProps) {
  return (
    <div className={`min-w-0 ${isAlone ? "max-lg:col-span-2" : ""}`}>
      <div className="flex flex-wrap items-baseline gap-x-2 text-xs text-ink-faint">
        <h2 className="text-base leading-snug font-semibold text-ink">
          {item.symbol} <span className="font-normal text-ink-muted">{item.timeframe}</span>
        </h2>
        {timesAsked > 1 && <span>asked {timesAsked} times</span>}
        {item.demo_record && <span title={MESSAGES.demoRecord}>Demo record</span>}
      </div>
      <p className="figures text-xs text-ink-faint lg:truncate">
        <Link
          to={`/signals/${item.id}`}
          title="Open this signal"
          className="group/reveal rounded underline-offset-4 hover:text-ink hover:underline"
        >
          <LocalTime iso={item.timestamp} />
        </Link>
        <StatusText item={item} />
      </p>
      <div className="flex flex-wrap items-center gap-x-3 text-xs empty:hidden">
        <OriginMark origin={item.origin} />
      </div>
    </div>
  );
}

function Levels({ levels }: { levels: TradeLevels }) {
  const rows = [
    { label: "Entry", price: levels.entry },
    { label: "Stop loss", price: levels.stopLoss },
    { label: "Take profit", price: levels.takeProfit },
  ];
  return (
    <dl className="figures grid grid-cols-3 gap-2 text-sm max-lg:col-span-3 lg:text-right lg:text-[0.8125rem]">
      {rows.map(({ label, price }) => (
        <div key={label} className="min-w-0">
          <dt className="text-xs text-ink-faint lg:sr-only">{label}</dt>
          <dd className="font-medium">{formatPrice(price)}</dd>
        </div>
      ))}
    </dl>
  );
}

function Size({ item }: { item: HistoryItem }) {
  const { symbol, suggested_units: units, estimated_dollar_risk: risk } = item;
  if (units === undefined || risk === undefined) return <span className="max-lg:hidden" />;
  return (
    <p className="figures text-sm whitespace-nowrap max-lg:text-xs max-lg:text-ink-faint lg:text-right">
      <span className="sr-only">Size: </span>
      {formatUnits(roundUnits(units))} <span className="lg:hidden">{unitName(symbol)}</span>
      <span className="text-xs text-ink-faint max-lg:sr-only lg:block">
        {" "}
        risk {formatUsd(risk)}
      </span>
    </p>
  );
}

/** Four significant digits say how large a position is. */
const roundUnits = (units: number): number => Number(units.toPrecision(4));

/** Where a trade stands; a WAIT is none. */
function State({ item }: { item: HistoryItem }) {
  const text = stateText(item);
  return (
    <div className="flex items-center gap-x-2 lg:flex-col lg:items-start">
      <OutcomeBadge outcome={item.outcome} />
      {text && <span className="text-xs text-ink-faint">{text}</span>}
    </div>
  );
}

function stateText(item: HistoryItem): string | null {
  const { outcome, filled, entry_left: left, valid_until: until } = item;
  if (outcome === "EXPIRED" && !filled) {
    return item.without_data ? "No prices, fill unknown" : "Not filled";
  }
  if (outcome) return null;
  if (filled) return "In the market";
  if (left) return "Entry missed";
  return until && Date.parse(until) <= Date.now() ? "Entry expired" : "Waiting for entry";
}

/** In units of the risk, and in US dollars for the size that the user asked for. */
function Result({ item }: { item: HistoryItem }) {
  const { outcome, r_multiple: known, estimated_dollar_risk: risk } = item;
  // An event has the outcome without its result.
  const enabled = outcome !== undefined && known === undefined && item.filled !== undefined;
  const { data } = useQuery({ ...progressQuery(item.id), enabled });
  const r = known ?? data?.judgement?.r_multiple ?? null;
  if (r === null) return null;
  const dollars = risk !== undefined && formatProfit(r * risk);
  return (
    <p className={`figures text-sm font-semibold ${r < 0 ? "text-sell" : "text-buy"}`}>
      <span className="sr-only">Result: </span>
      {formatR(r)}
      {dollars && (
        <span className="text-xs font-normal text-ink-muted max-lg:ml-1.5 lg:block">{dollars}</span>
      )}
    </p>
  );
}

function Details({ item, earlier, levels }: SignalCardProps & { levels: TradeLevels | null }) {
  const note = levels && entryNote(item, new Date());
  const trade = tradeOfItem(item);
  const isOpen = item.status === "completed" && !item.outcome;
  const confidence = confidenceWords(item.signal, item);
  return (
    <div className="flex animate-enter flex-col gap-4 border-t border-line p-4 lg:bg-canvas lg:px-6">
      {trade && <TradeTimeline trade={trade} madeAt={item.timestamp} />}
      {levels && isOpen && (
        <dl className="max-w-sm">
          <CurrentPrice {...item} levels={levels} />
        </dl>
      )}
      {note && <p className="figures text-sm text-wait">{note}</p>}
      {confidence && <p className="figures text-sm text-ink-faint">{confidence}</p>}
      <Rationale text={rationaleText(item.rationale)} />
      <Note item={item} />
      {item.status === "completed" && <ChartDisclosure item={item} />}
      <TextLink to={`/signals/${item.id}`} className="self-start text-sm pointer-coarse:py-2.5">
        Open this signal
      </TextLink>
      {earlier.length > 0 && <Earlier items={earlier} />}
    </div>
  );
}

/** They may be of other sizes, and have notes of their own. */
const Earlier = ({ items }: { items: readonly HistoryItem[] }) => (
  <div className="text-sm">
    <p className="text-ink-faint">You also asked for this analysis at:</p>
    <ul className="flex flex-wrap gap-x-4">
      {items.map(({ id, timestamp }) => (
        <li key={id}>
          <TextLink to={`/signals/${id}`}>
            <LocalTime iso={timestamp} />
          </TextLink>
        </li>
      ))}
    </ul>
  </div>
);

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
  if (!isFinished(item.status)) return " · In progress";
  const text = chanceText(item);
  // Beside a time, a phone has no room for what says least of a WAIT.
  const place = item.signal === "WAIT" ? "max-sm:hidden" : "";
  return text === null ? null : <span className={place}> · {text}</span>;
}

/** The one number that a row has room for; its details say what it is. */
function chanceText({ signal, confidence, calibrated_confidence: chance }: HistoryItem) {
  if (typeof chance === "number") return `${formatConfidence(chance)} chance`;
  return signal === "WAIT" && confidence === 0 ? null : `${formatConfidence(confidence)} stated`;
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
