import { HISTORY_PAGE, MESSAGES, SIGNAL_LIMITS } from "@shared/contract/constants.ts";
import { csvLine } from "@shared/contract/files.ts";
import {
  type HistoryItem,
  outcomeSchema,
  rationaleText,
  signalKindSchema,
} from "@shared/contract/signal.ts";
import { useMutation } from "@tanstack/react-query";
import { Download, X } from "lucide-react";
import { useState } from "react";
import { saveFile } from "../../lib/save-file.ts";
import { useLeaveSignal } from "../../lib/use-leave-signal.ts";
import { ErrorAlert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { fieldClass } from "../../ui/field-class.ts";
import { SearchField, SelectField } from "../../ui/fields.tsx";
import {
  type HistoryFilter,
  historyErrorText,
  isFiltering,
  noFilter,
  readHistory,
  symbolPart,
} from "./api.ts";

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
      <SearchField
        label="Symbol"
        labelClass={fieldClass.label}
        placeholder="All symbols"
        value={filter.symbol}
        maxLength={SIGNAL_LIMITS.symbolLength.max}
        onChange={({ currentTarget }) =>
          onChange({ ...filter, symbol: symbolPart(currentTarget.value) })
        }
        className={`${fieldClass.root} col-span-2 sm:col-span-1`}
      />
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
          Icon={X}
          variant="ghost"
          className="col-span-2 h-11 sm:col-span-1"
          onClick={() => onChange(noFilter)}
        >
          Clear filters
        </Button>
      )}
    </div>
  );
}

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
            {formats[format].label}
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
