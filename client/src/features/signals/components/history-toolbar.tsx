import { HISTORY_PAGE, SIGNAL_LIMITS } from "@shared/contract/constants.ts";
import type { HistoryItem } from "@shared/contract/signal.ts";
import { useMutation } from "@tanstack/react-query";
import { Download, Search, X } from "lucide-react";
import { useEffect, useId, useRef, useState } from "react";
import { Alert } from "../../../ui/alert.tsx";
import { Button } from "../../../ui/button.tsx";
import { fieldClass } from "../../../ui/field-class.ts";
import { SelectField } from "../../../ui/select-field.tsx";
import { readHistory } from "../api.ts";
import { type HistoryFilter, isFiltering, noFilter, symbolPart } from "../history-filter.ts";
import { exportMessages, filterMessages, historyErrorText } from "../messages.ts";

const ANY = "ANY";

const signalOptions = [
  { value: ANY, label: filterMessages.anySignal },
  { value: "BUY", label: "BUY" },
  { value: "SELL", label: "SELL" },
  { value: "WAIT", label: "WAIT" },
] as const;

const outcomeOptions = [
  { value: ANY, label: filterMessages.anyOutcome },
  { value: "PENDING", label: "PENDING" },
  { value: "WIN", label: "WIN" },
  { value: "LOSS", label: "LOSS" },
  { value: "EXPIRED", label: "EXPIRED" },
] as const;

interface HistoryFiltersProps {
  filter: HistoryFilter;
  onChange(filter: HistoryFilter): void;
}

/** Which signals are shown. */
export function HistoryFilters({ filter, onChange }: HistoryFiltersProps) {
  return (
    <div
      className={`grid grid-cols-2 items-end gap-3 ${isFiltering(filter) ? "sm:grid-cols-[minmax(0,1.4fr)_1fr_1fr_auto]" : "sm:grid-cols-[minmax(0,1.4fr)_1fr_1fr]"}`}
    >
      <SymbolFilter symbol={filter.symbol} onChange={(symbol) => onChange({ ...filter, symbol })} />
      <SelectField
        label={filterMessages.signal}
        value={filter.signal ?? ANY}
        options={signalOptions}
        onChange={(value) => onChange({ ...filter, signal: value === ANY ? null : value })}
      />
      <SelectField
        label={filterMessages.outcome}
        value={filter.outcome ?? ANY}
        options={outcomeOptions}
        onChange={(value) => onChange({ ...filter, outcome: value === ANY ? null : value })}
      />
      {isFiltering(filter) && (
        <Button
          variant="ghost"
          className="col-span-2 h-11 sm:col-span-1"
          onClick={() => onChange(noFilter)}
        >
          <X aria-hidden className="size-4" />
          {filterMessages.clear}
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
        {filterMessages.symbol}
      </label>
      <div className="relative">
        <Search
          aria-hidden
          className="pointer-events-none absolute inset-y-0 left-3.5 my-auto size-4 text-ink-faint"
        />
        <input
          id={id}
          type="search"
          autoComplete="off"
          spellCheck={false}
          placeholder={filterMessages.symbolHint}
          value={symbol}
          maxLength={SIGNAL_LIMITS.symbolLength.max}
          onChange={({ currentTarget }) => onChange(symbolPart(currentTarget.value))}
          className={`${fieldClass.input} pl-10`}
        />
      </div>
    </div>
  );
}

const FORMATS = ["csv", "json"] as const;

/** Saves the whole history, or what the filter leaves of it, as a file. */
export function ExportButtons({ filter }: { filter: HistoryFilter }) {
  const [read, setRead] = useState(0);
  const leaving = useRef(new AbortController());
  useEffect(() => {
    const controller = new AbortController();
    leaving.current = controller;
    return () => controller.abort();
  }, []);
  const saving = useMutation({
    mutationFn: (format: ExportFormat) => {
      setRead(0);
      const { signal } = leaving.current;
      return exportHistory({ format, filter, signal, onProgress: setRead });
    },
  });
  return (
    <div className="flex flex-col gap-2 sm:items-end">
      <div className="flex gap-2">
        {FORMATS.map((format) => (
          <Button
            key={format}
            variant="secondary"
            size="sm"
            busy={saving.isPending && saving.variables === format}
            disabled={saving.isPending}
            onClick={() => saving.mutate(format)}
          >
            {!(saving.isPending && saving.variables === format) && (
              <Download aria-hidden className="size-4" />
            )}
            {exportMessages.save[format]}
          </Button>
        ))}
      </div>
      <p role="status" className="figures text-xs text-ink-muted empty:hidden">
        {saving.isPending && exportMessages.reading(read)}
        {saving.isSuccess && exportMessages.saved(saving.data)}
      </p>
      {saving.isError && (
        <Alert tone="error" role="alert" title={exportMessages.failed}>
          {historyErrorText(saving.error)}
        </Alert>
      )}
    </div>
  );
}

type ExportFormat = "csv" | "json";

const kinds = {
  csv: { type: "text/csv;charset=utf-8", write: historyCsv },
  json: {
    type: "application/json",
    write: (items: HistoryItem[]) => `${JSON.stringify(items, null, 2)}\n`,
  },
} as const;

interface ExportOptions {
  format: ExportFormat;
  filter: HistoryFilter;
  signal: AbortSignal;
  /** Hears how many signals have been read so far. */
  onProgress(read: number): void;
}

/**
 * Reads all signals that fit the filter, page by page, and saves them as a file.
 * @returns how many signals were saved
 */
async function exportHistory({ format, ...read }: ExportOptions): Promise<number> {
  const items = await readAll(read);
  const { type, write } = kinds[format];
  const day = new Date().toISOString().slice(0, 10);
  saveFile({ name: `signal-history-${day}.${format}`, type, text: write(items) });
  return items.length;
}

async function readAll({
  filter,
  signal,
  onProgress,
}: Omit<ExportOptions, "format">): Promise<HistoryItem[]> {
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

/** Spreadsheets take a text that begins so for a formula. */
const FORMULA = /^[=+\-@\t\r]/;
const NEEDS_QUOTES = /[",\r\n]/;

/** The items as CSV (RFC 4180) with a header line; an outcome that is not there yet reads PENDING. */
export function historyCsv(items: HistoryItem[]): string {
  const lines = items.map((item) => COLUMNS.map((column) => cell(fieldOf(item, column))).join(","));
  return `${[COLUMNS.join(","), ...lines].join("\r\n")}\r\n`;
}

function fieldOf(item: HistoryItem, column: (typeof COLUMNS)[number]): string | number | null {
  return column === "outcome" ? (item.outcome ?? "PENDING") : item[column];
}

function cell(value: string | number | null): string {
  if (value === null) return "";
  if (typeof value === "number") return String(value);
  const text = FORMULA.test(value) ? `'${value}` : value;
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Has the browser save a text as a file. */
function saveFile({ name, type, text }: { name: string; type: string; text: string }): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
