import { HISTORY_PAGE, SIGNAL_LIMITS } from "@shared/contract/constants.ts";
import { type HistoryItem, outcomeSchema, signalKindSchema } from "@shared/contract/signal.ts";
import { useMutation } from "@tanstack/react-query";
import { Download, X } from "lucide-react";
import { useId, useState } from "react";
import { useLeaveSignal } from "../../../lib/use-leave-signal.ts";
import { ErrorAlert } from "../../../ui/alert.tsx";
import { Button } from "../../../ui/button.tsx";
import { fieldClass } from "../../../ui/field-class.ts";
import { SearchInput } from "../../../ui/search-input.tsx";
import { SelectField } from "../../../ui/select-field.tsx";
import { readHistory } from "../api.ts";
import { historyErrorText } from "../history-error-text.ts";
import { type HistoryFilter, isFiltering, noFilter, symbolPart } from "../history-filter.ts";

const ANY = "ANY";

const optionsOf = <Value extends string>(anyLabel: string, values: readonly Value[]) => [
  { value: ANY, label: anyLabel } as const,
  ...values.map((value) => ({ value, label: value })),
];
const signalOptions = optionsOf("All signals", signalKindSchema.options);
const outcomeOptions = optionsOf("All outcomes", ["PENDING", ...outcomeSchema.options] as const);

interface HistoryFiltersProps {
  filter: HistoryFilter;
  onChange(filter: HistoryFilter): void;
}

export function HistoryFilters({ filter, onChange }: HistoryFiltersProps) {
  const clearable = isFiltering(filter);
  return (
    <div
      className={`grid grid-cols-2 items-end gap-3 ${clearable ? "sm:grid-cols-[minmax(0,1.4fr)_1fr_1fr_auto]" : "sm:grid-cols-[minmax(0,1.4fr)_1fr_1fr]"}`}
    >
      <SymbolFilter symbol={filter.symbol} onChange={(symbol) => onChange({ ...filter, symbol })} />
      <SelectField
        label="Signal"
        value={filter.signal ?? ANY}
        options={signalOptions}
        onChange={(value) => onChange({ ...filter, signal: value === ANY ? null : value })}
      />
      <SelectField
        label="Outcome"
        value={filter.outcome ?? ANY}
        options={outcomeOptions}
        onChange={(value) => onChange({ ...filter, outcome: value === ANY ? null : value })}
      />
      {clearable && (
        <Button
          variant="ghost"
          className="col-span-2 h-11 sm:col-span-1"
          onClick={() => onChange(noFilter)}
        >
          <X aria-hidden className="size-4" />
          Clear filters
        </Button>
      )}
    </div>
  );
}

function SymbolFilter({ symbol, onChange }: { symbol: string; onChange(symbol: string): void }) {
  const id = useId();
  return (
    <div className={`${fieldClass.root} col-span-2 sm:col-span-1`}>
      <label htmlFor={id} className={fieldClass.label}>
        Symbol
      </label>
      <SearchInput
        id={id}
        placeholder="All symbols"
        value={symbol}
        maxLength={SIGNAL_LIMITS.symbolLength.max}
        onChange={({ currentTarget }) => onChange(symbolPart(currentTarget.value))}
      />
    </div>
  );
}

const historyJson = (items: HistoryItem[]): string => `${JSON.stringify(items, null, 2)}\n`;

const formats = {
  csv: { label: "Export CSV", type: "text/csv;charset=utf-8", write: historyCsv },
  json: { label: "Export JSON", type: "application/json", write: historyJson },
} as const;
const FORMAT_NAMES = ["csv", "json"] as const;

export function ExportButtons({ filter }: { filter: HistoryFilter }) {
  const [loaded, setLoaded] = useState(0);
  const leaveSignal = useLeaveSignal();
  const saving = useMutation({
    mutationFn: async (format: keyof typeof formats) => {
      const items = await readAll(filter, leaveSignal(), setLoaded);
      saveFile(items, format);
      return items.length;
    },
    onMutate: () => setLoaded(0),
  });
  return (
    <div className="flex flex-col gap-2 sm:items-end">
      <div className="flex gap-2">
        {FORMAT_NAMES.map((format) => {
          const busy = saving.isPending && saving.variables === format;
          return (
            <Button
              key={format}
              variant="secondary"
              size="sm"
              busy={busy}
              disabled={saving.isPending}
              onClick={() => saving.mutate(format)}
            >
              {!busy && <Download aria-hidden className="size-4" />}
              {formats[format].label}
            </Button>
          );
        })}
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

function saveFile(items: HistoryItem[], format: keyof typeof formats): void {
  const { type, write } = formats[format];
  const day = new Date().toISOString().slice(0, 10);
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([write(items)], { type }));
  link.download = `signal-history-${day}.${format}`;
  link.click();
  URL.revokeObjectURL(link.href);
}

const COLUMNS = [
  "timestamp",
  "symbol",
  "timeframe",
  "status",
  "signal",
  "confidence",
  "entry",
  "stop_loss",
  "take_profit",
  "outcome",
  "rationale",
  "id",
] as const;

/** Spreadsheets read a text that starts like this as a formula. */
const FORMULA = /^[=+\-@\t\r]/;
const NEEDS_QUOTES = /[",\r\n]/;

export function historyCsv(items: HistoryItem[]): string {
  const rows = items.map((item) => {
    const fields = { ...item, outcome: item.outcome ?? "PENDING" };
    return COLUMNS.map((column) => csvCell(fields[column])).join(",");
  });
  return `${[COLUMNS.join(","), ...rows].join("\r\n")}\r\n`;
}

function csvCell(value: string | number | null): string {
  if (value === null) return "";
  if (typeof value === "number") return String(value);
  const text = FORMULA.test(value) ? `'${value}` : value;
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
