import { Form } from "@base-ui/react/form";
import type { SignalKind } from "@shared/contract/signal.ts";
import { type WatchlistItem, watchlistItemChangeSchema } from "@shared/contract/watchlist.ts";
import { Pencil, Trash2, TriangleAlert } from "lucide-react";
import { type ReactNode, useId, useRef, useState } from "react";
import { Link } from "react-router-dom";
import { SignalBadge } from "../../domain/signal-badge.tsx";
import { stopWatching } from "../../domain/stop-watching.ts";
import { useChangeItem } from "../../domain/watchlist.ts";
import { parseForm, useFormRequest } from "../../lib/api/forms.ts";
import { formatConfidence, formatDuration, formatUnits, formatUsd } from "../../lib/format.ts";
import { useNow } from "../../lib/use-now.ts";
import { ErrorAlert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Switch } from "../../ui/fields.tsx";
import { LocalTime } from "../../ui/local-time.tsx";
import { failureToast } from "../../ui/show-toast.ts";
import { FormActions, TextField } from "../../ui/text-field.tsx";

export function WatchedMarket({ item }: { item: WatchlistItem }) {
  const { symbol, timeframe, enabled, min_confidence } = item;
  const [isEdited, setEdited] = useState(false);
  const market = `${symbol} ${timeframe}`;
  const formId = useId();
  const edit = useRef<HTMLButtonElement>(null);
  const close = () => {
    setEdited(false);
    edit.current?.focus();
  };
  return (
    <Card className="flex flex-col">
      <article aria-label={market} className="flex flex-col gap-4 p-5">
        <div className="grid grid-cols-[1fr_auto] items-center gap-x-4 gap-y-2 xl:grid-cols-[auto_1fr_auto]">
          <h2
            className={`truncate text-lg font-semibold tracking-tight ${enabled ? "" : "text-ink-muted"}`}
          >
            {symbol} <span className="font-normal text-ink-muted">{timeframe}</span>
          </h2>
          <LastResult item={item} />
          <div className="-mr-2 flex items-center gap-1">
            <EnabledSwitch item={item} />
            <Button
              ref={edit}
              variant="ghost"
              size="sm"
              aria-label={`Edit ${market}`}
              aria-expanded={isEdited}
              aria-controls={isEdited ? formId : undefined}
              className="ml-2"
              onClick={() => setEdited(!isEdited)}
            >
              <Pencil aria-hidden className="size-4" />
            </Button>
            <Button
              variant="ghost"
              size="sm"
              aria-label={`Remove ${market}`}
              onClick={() => stopWatching(item)}
            >
              <Trash2 aria-hidden className="size-4" />
            </Button>
          </div>
        </div>
        {item.next_at === null && (
          <p className="text-sm text-wait">
            This market is closed whenever a {timeframe} candle closes, so it is not analyzed.
          </p>
        )}
        <dl className="figures grid grid-cols-3 gap-x-4 gap-y-3 border-t border-line pt-4 text-sm *:first:max-sm:col-span-2 sm:grid-cols-[1.2fr_1fr_1fr_1fr_1fr]">
          <Fact label="Next close">{enabled ? <Countdown at={item.next_at} /> : "Off"}</Fact>
          <Fact label="Confidence">
            {min_confidence === 0 ? "Any" : `From ${formatConfidence(min_confidence)}`}
          </Fact>
          <Fact label="Amount">{formatUsd(item.amount)}</Fact>
          <Fact label="Risk">{`${formatUnits(item.risk_percent)}%`}</Fact>
          <Fact label="Leverage">{`${formatUnits(item.leverage)}×`}</Fact>
        </dl>
      </article>
      {isEdited && <EditForm id={formId} item={item} onClose={close} />}
    </Card>
  );
}

const Fact = ({ label, children }: { label: string; children: ReactNode }) => (
  <div className="min-w-0">
    <dt className="text-xs text-ink-faint">{label}</dt>
    <dd className="mt-0.5 truncate font-medium">{children}</dd>
  </div>
);

function EnabledSwitch({ item }: { item: WatchlistItem }) {
  const { symbol, timeframe, enabled } = item;
  const change = useChangeItem(item);
  const title = `${symbol} ${timeframe} could not be switched ${enabled ? "off" : "on"}`;
  const onError = failureToast(title);
  return (
    <Switch
      name={`Watch ${symbol} ${timeframe}`}
      checked={enabled}
      onChange={(next) => change.mutate({ enabled: next }, { onError })}
    />
  );
}

function Countdown({ at }: { at: string | null }) {
  const now = useNow(at !== null);
  if (at === null) return "None";
  const leftMs = Date.parse(at) - now;
  return <span role="timer">{leftMs > 0 ? `in ${formatDuration(leftMs)}` : "Closing"}</span>;
}

/** The last analysis of the market, and whether the user has a signal of it. */
function LastResult({ item: { last, min_confidence } }: { item: WatchlistItem }) {
  if (!last) return <p className={resultClass}>No analysis yet</p>;
  const { at, final_signal: kind, confidence, signal_id: id } = last;
  const isBelow = id === null && isTrade(kind) && confidence < min_confidence;
  const result = (
    <>
      <ResultKind kind={kind} />
      {kind !== null && confidence > 0 && (
        <span>{formatConfidence(confidence)} stated confidence</span>
      )}
    </>
  );
  return (
    <p className={resultClass}>
      {id === null ? (
        result
      ) : (
        <Link
          to={`/signals/${id}`}
          title="Open this signal"
          className="inline-flex items-center gap-3 rounded-lg underline-offset-4 hover:text-ink hover:underline"
        >
          {result}
        </Link>
      )}
      {isBelow && <span>Below your minimum</span>}
      <span className="text-ink-faint">
        <LocalTime iso={at} />
      </span>
    </p>
  );
}

const resultClass =
  "figures col-span-2 row-start-2 flex min-h-8 flex-wrap items-center gap-x-3 gap-y-1.5 text-sm text-ink-muted xl:col-span-1 xl:col-start-2 xl:row-start-1";

const isTrade = (kind: SignalKind | null) => kind === "BUY" || kind === "SELL";

function ResultKind({ kind }: { kind: SignalKind | null }) {
  if (kind === "WAIT") return <span className="font-medium text-ink">No trade</span>;
  if (kind) return <SignalBadge signal={kind} />;
  return (
    <span className="inline-flex items-center gap-1.5 font-medium text-wait">
      <TriangleAlert aria-hidden className="size-4" />
      Analysis failed
    </span>
  );
}

interface EditFormProps {
  id: string;
  item: WatchlistItem;
  onClose(): void;
}

function EditForm({ id, item, onClose }: EditFormProps) {
  const change = useChangeItem(item);
  const { formProps, isPending, problem } = useFormRequest(async (form) => {
    await change.mutateAsync(parseForm(watchlistItemChangeSchema, form));
    onClose();
  });
  return (
    <Form
      {...formProps}
      id={id}
      aria-label={`Edit ${item.symbol} ${item.timeframe}`}
      className="flex animate-enter flex-col gap-4 border-t border-line p-5"
    >
      <TermsFields terms={item} className="sm:grid-cols-4" />
      <ErrorAlert message={problem?.message} />
      <FormActions busy={isPending} onCancel={onClose} />
    </Form>
  );
}

const FIELDS = [
  { name: "min_confidence", label: "Min. confidence (%)" },
  { name: "amount", label: "Amount (USD)" },
  { name: "risk_percent", label: "Risk (%)" },
  { name: "leverage", label: "Leverage" },
] as const;

type Terms = Pick<WatchlistItem, (typeof FIELDS)[number]["name"]>;

/** When a signal is made for the user, and how it is sized. Their form reads the fields. */
export function TermsFields({ terms, className = "" }: { terms: Terms; className?: string }) {
  return (
    <div className={`grid grid-cols-2 items-start gap-x-3 gap-y-4 ${className}`}>
      {FIELDS.map(({ name, label }) => (
        <TextField
          key={name}
          name={name}
          label={label}
          defaultValue={String(terms[name])}
          inputMode="decimal"
          autoComplete="off"
        />
      ))}
    </div>
  );
}
