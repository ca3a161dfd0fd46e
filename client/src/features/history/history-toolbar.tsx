import { HISTORY_PAGE, MESSAGES, SIGNAL_LIMITS, TIMEFRAMES } from "@shared/contract/constants.ts";
import { csvLine } from "@shared/contract/files.ts";
import {
  type HistoryItem,
  rationaleText,
  signalKindSchema,
  signalOriginSchema,
} from "@shared/contract/signal.ts";
import { useMutation } from "@tanstack/react-query";
import { Download, SlidersHorizontal, X } from "lucide-react";
import { useState } from "react";
import { saveFile } from "../../lib/save-file.ts";
import { useLeaveSignal } from "../../lib/use-leave-signal.ts";
import { ErrorAlert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { fieldClass } from "../../ui/field-class.ts";
import { Labelled, SearchField, SelectField } from "../../ui/fields.tsx";
import {
  countFilters,
  HISTORY_OUTCOMES,
  type HistoryFilter,
  historyErrorText,
  isFiltering,
  noFilter,
  readHistory,
  symbolPart,
} from "./api.ts";

const ANY = "ANY";

const optionsOf = <Value extends string>(
  anyLabel: string,
  values: readonly Value[],
  names: Partial<Record<Value, string>> = {},
) => [
  { value: ANY, label: anyLabel } as const,
  ...values.map((value) => ({ value, label: names[value] ?? value })),
];
const signalOptions = optionsOf("All signals", signalKindSchema.options);
const outcomeOptions = optionsOf("All outcomes", HISTORY_OUTCOMES);
const timeframeOptions = optionsOf("All timeframes", TIMEFRAMES);
const originOptions = optionsOf("All origins", signalOriginSchema.options, {
  request: "Requested",
  watchlist: "Watchlist",
});

interface HistoryFiltersProps {
  filter: HistoryFilter;
  onChange(filter: HistoryFilter): void;
}

/** On phones, all but the symbol are folded away. */
export function HistoryFilters({ filter, onChange }: HistoryFiltersProps) {
  const [isOpen, setOpen] = useState(false);
  const count = countFilters({ ...filter, symbol: "" });
  const set = (change: Partial<HistoryFilter>) => onChange({ ...filter, ...change });
  return (
    <div className="grid grid-cols-2 items-end gap-3 md:grid-cols-4 xl:grid-cols-[minmax(0,1.3fr)_repeat(6,minmax(0,1fr))]">
      <SearchField
        label="Symbol"
        labelClass={`${fieldClass.label} max-md:sr-only`}
        placeholder="All symbols"
        value={filter.symbol}
        maxLength={SIGNAL_LIMITS.symbolLength.max}
        onChange={({ currentTarget }) => set({ symbol: symbolPart(currentTarget.value) })}
        className={fieldClass.root}
      />
      <Button
        Icon={SlidersHorizontal}
        variant="secondary"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        className="h-11 md:hidden"
      >
        {count > 0 ? `Filters (${count})` : "Filters"}
      </Button>
      <div className={isOpen ? "contents" : "hidden md:contents"}>
        <Choices filter={filter} onChange={set} />
        {isFiltering(filter) && (
          <Button
            Icon={X}
            variant="ghost"
            size="sm"
            className="col-span-full justify-self-start"
            onClick={() => onChange(noFilter)}
          >
            Clear filters
          </Button>
        )}
      </div>
    </div>
  );
}

interface ChoicesProps {
  filter: HistoryFilter;
  onChange(change: Partial<HistoryFilter>): void;
}

function Choices({ filter, onChange }: ChoicesProps) {
  return (
    <>
      <SelectField
        label="Signal"
        value={filter.signal ?? ANY}
        options={signalOptions}
        onChange={(value) => onChange({ signal: value === ANY ? null : value })}
      />
      <SelectField
        label="Outcome"
        value={filter.outcome ?? ANY}
        options={outcomeOptions}
        onChange={(value) => onChange({ outcome: value === ANY ? null : value })}
      />
      <SelectField
        label="Timeframe"
        value={filter.timeframe ?? ANY}
        options={timeframeOptions}
        onChange={(value) => onChange({ timeframe: value === ANY ? null : value })}
      />
      <SelectField
        label="Origin"
        value={filter.origin ?? ANY}
        options={originOptions}
        onChange={(value) => onChange({ origin: value === ANY ? null : value })}
      />
      <DayField label="From" value={filter.from} onChange={(from) => onChange({ from })} />
      <DayField label="To" value={filter.to} onChange={(to) => onChange({ to })} />
    </>
  );
}

interface DayFieldProps {
  label: string;
  value: string;
  onChange(day: string): void;
}

const DayField = ({ label, value, onChange }: DayFieldProps) => (
  <Labelled label={label}>
    {(id) => (
      <input
        id={id}
        type="date"
        value={value}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
        className={`${fieldClass.input} min-w-0`}
      />
    )}
  </Labelled>
);

/** A signal in exports. Names state units; prices are in the quote currency of the symbol. */
const exportRow = (item: HistoryItem) => ({
  time_utc: item.timestamp,
  symbol: item.symbol,
  timeframe: item.timeframe,
  status: item.status,
  signal: item.signal,
  confidence_percent: item.confidence,
  calibrated_confidence_percent: item.calibrated_confidence ?? null,
  entry_quote_currency: item.entry,
  stop_loss_quote_currency: item.stop_loss,
  take_profit_quote_currency: item.take_profit,
  outcome: item.outcome ?? "PENDING",
  rationale: rationaleText(item.rationale),
  signal_id: item.id,
  analysis_id: item.analysis_id ?? null,
  record: item.demo_record ? MESSAGES.demoRecord : null,
  note: item.note ?? null,
});

export const historyJson = (items: HistoryItem[]): string =>
  `${JSON.stringify(items.map(exportRow), null, 2)}\n`;

const formats = {
  csv: { name: "CSV", type: "text/csv;charset=utf-8", write: historyCsv },
  json: { name: "JSON", type: "application/json", write: historyJson },
} as const;
const FORMAT_NAMES = ["csv", "json"] as const;

export function ExportButtons({ filter }: { filter: HistoryFilter }) {
  const [loaded, setLoaded] = useState(0);
  const leaveSignal = useLeaveSignal();
  const saving = useMutation({
    mutationFn: async (format: keyof typeof formats) => {
      const items = await readAll(filter, leaveSignal(), setLoaded);
      saveHistory(items, format);
      return items.length;
    },
    onMutate: () => setLoaded(0),
  });
  return (
    <div className="flex flex-col gap-2 sm:items-end">
      <div className="flex gap-2">
        {FORMAT_NAMES.map((format) => (
          <Button
            key={format}
            Icon={Download}
            variant="secondary"
            size="sm"
            busy={saving.isPending && saving.variables === format}
            disabled={saving.isPending}
            onClick={() => saving.mutate(format)}
          >
            <span>
              <span className="max-sm:sr-only">Export </span>
              {formats[format].name}
            </span>
          </Button>
        ))}
      </div>
      <p role="status" className="figures text-xs text-ink-muted empty:hidden">
        {saving.isPending && `Loading signals: ${loaded}`}
        {saving.isSuccess && `Saved ${saving.data} ${saving.data === 1 ? "signal" : "signals"}.`}
      </p>
      <ErrorAlert
        title="The export failed."
        message={saving.error && historyErrorText(saving.error)}
      />
    </div>
  );
}

async function readAll(
  filter: HistoryFilter,
  signal: AbortSignal,
  onProgress: (read: number) => void,
): Promise<HistoryItem[]> {
  const items: HistoryItem[] = [];
  let cursor: string | null = null;
  do {
    const page = await readHistory({ cursor, limit: HISTORY_PAGE.max, filter, signal });
    items.push(...page.signals);
    cursor = page.next_cursor;
    onProgress(items.length);
  } while (cursor !== null);
  return items;
}

function saveHistory(items: HistoryItem[], format: keyof typeof formats): void {
  const { type, write } = formats[format];
  const day = new Date().toISOString().slice(0, 10);
  saveFile(`signal-history-${day}.${format}`, write(items), type);
}

export function historyCsv(items: HistoryItem[]): string {
  const rows = items.map(exportRow);
  return [Object.keys(rows[0] ?? {}), ...rows.map((row) => Object.values(row))]
    .map(csvLine)
    .join("");
}
