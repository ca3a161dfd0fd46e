import { SIGNAL_LIMITS } from "@shared/contract/constants.ts";
import { Search, X } from "lucide-react";
import { useId } from "react";
import { Button } from "../../ui/button.tsx";
import { fieldClass } from "../../ui/field-class.ts";
import { SelectField } from "../../ui/select-field.tsx";
import { type HistoryFilter, isFiltering, noFilter, symbolPart } from "./history-filter.ts";
import { filterTexts as texts } from "./texts.ts";

const ANY = "ANY";

const signalOptions = [
  { value: ANY, label: texts.anySignal },
  { value: "BUY", label: "BUY" },
  { value: "SELL", label: "SELL" },
  { value: "WAIT", label: "WAIT" },
] as const;

const outcomeOptions = [
  { value: ANY, label: texts.anyOutcome },
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
        label={texts.signal}
        value={filter.signal ?? ANY}
        options={signalOptions}
        onChange={(value) => onChange({ ...filter, signal: value === ANY ? null : value })}
      />
      <SelectField
        label={texts.outcome}
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
          {texts.clear}
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
        {texts.symbol}
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
          placeholder={texts.symbolHint}
          value={symbol}
          maxLength={SIGNAL_LIMITS.symbolLength.max}
          onChange={({ currentTarget }) => onChange(symbolPart(currentTarget.value))}
          className={`${fieldClass.input} pl-10`}
        />
      </div>
    </div>
  );
}
