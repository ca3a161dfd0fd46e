import { Autocomplete } from "@base-ui/react/autocomplete";
import { Field } from "@base-ui/react/field";
import { NumberField } from "@base-ui/react/number-field";
import type { Timeframe } from "@shared/contract/candle.ts";
import { SYMBOL_SUGGESTIONS, TIMEFRAMES } from "@shared/contract/constants.ts";
import { ChevronDown, Minus, Plus } from "lucide-react";
import { useState } from "react";
import { fieldClass } from "../../../ui/field-class.ts";

/** One of the suggestions or free text. Only what is typed after the list has opened filters it. */
export function SymbolField({ value, onChange }: { value: string; onChange(value: string): void }) {
  const [typed, setTyped] = useState(false);
  const [open, setOpen] = useState(false);
  const show = (next: boolean) => {
    setOpen(next);
    if (!next) setTyped(false);
  };
  return (
    <Field.Root name="symbol" className={fieldClass.root}>
      <Field.Label className={fieldClass.label}>Symbol</Field.Label>
      <Autocomplete.Root
        items={SYMBOL_SUGGESTIONS}
        value={value}
        openOnInputClick
        filter={(symbol, query) => !typed || matchesSymbol(symbol, query)}
        onValueChange={(next, { reason }) => {
          setTyped(reason === "input-change" || reason === "input-clear");
          onChange(next);
        }}
        open={open}
        onOpenChange={show}
      >
        <Autocomplete.InputGroup className={`${fieldClass.group} relative`}>
          <Autocomplete.Input
            autoComplete="off"
            autoCapitalize="characters"
            spellCheck={false}
            onBlur={() => show(false)}
            onFocus={(event) => event.currentTarget.select()}
            className="h-full min-w-0 flex-1 bg-transparent pr-10 pl-3.5 font-medium uppercase outline-none"
          />
          <ChevronDown
            aria-hidden
            className="pointer-events-none absolute inset-y-0 right-3.5 my-auto size-4 text-ink-faint"
          />
        </Autocomplete.InputGroup>
        {open && <SymbolList onPick={onChange} />}
      </Autocomplete.Root>
      <Field.Error className={fieldClass.error} />
    </Field.Root>
  );
}

/** Without the library's popup part, which hides the rest of the page from assistive technology while it is open. */
function SymbolList({ onPick }: { onPick(symbol: string): void }) {
  return (
    <Autocomplete.Portal>
      <Autocomplete.Positioner sideOffset={6} className="z-20 outline-none">
        <div className="max-h-[min(20rem,var(--available-height))] w-(--anchor-width) overflow-y-auto overscroll-contain rounded-control border border-line-strong bg-raised p-1 shadow-float">
          <Autocomplete.Empty>
            <p className="px-3 py-2 text-sm text-ink-muted">Custom symbol.</p>
          </Autocomplete.Empty>
          <Autocomplete.List>
            {(symbol: string) => (
              <Autocomplete.Item
                key={symbol}
                value={symbol}
                onClick={() => onPick(symbol)}
                className="figures rounded-md px-3 py-2 text-sm select-none data-highlighted:bg-accent data-highlighted:text-on-accent"
              >
                {symbol}
              </Autocomplete.Item>
            )}
          </Autocomplete.List>
        </div>
      </Autocomplete.Positioner>
    </Autocomplete.Portal>
  );
}

export const matchesSymbol = (symbol: string, query: string): boolean =>
  symbol.toLowerCase().includes(query.trim().toLowerCase());

interface TimeframeFieldProps {
  value: Timeframe;
  onChange(value: Timeframe): void;
}

export function TimeframeField({ value, onChange }: TimeframeFieldProps) {
  return (
    <fieldset className={fieldClass.root}>
      <legend className={`${fieldClass.label} mb-1.5`}>Timeframe</legend>
      <div className="grid grid-cols-7 rounded-control border border-line-strong bg-canvas p-1">
        {TIMEFRAMES.map((timeframe) => (
          <label
            key={timeframe}
            className="figures relative flex h-9 items-center justify-center rounded-md text-sm font-medium text-ink-muted transition-colors hover:text-ink has-checked:bg-accent has-checked:text-on-accent has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent"
          >
            <input
              type="radio"
              name="timeframe"
              value={timeframe}
              checked={timeframe === value}
              onChange={() => onChange(timeframe)}
              className="absolute inset-0 cursor-pointer opacity-0"
            />
            {timeframe}
          </label>
        ))}
      </div>
    </fieldset>
  );
}

const FORMAT: Intl.NumberFormatOptions = { maximumFractionDigits: 8 };

interface NumberInputProps {
  name: string;
  label: string;
  value: number | null;
  fallback: number;
  step: number;
  onChange(value: number | null): void;
}

/** A number with step buttons; the form checks its range. */
export function NumberInput({ name, label, value, fallback, step, onChange }: NumberInputProps) {
  return (
    <Field.Root name={name} className={fieldClass.root}>
      <Field.Label className={fieldClass.label}>{label}</Field.Label>
      <NumberField.Root
        value={value}
        onValueChange={onChange}
        locale="en-US"
        format={FORMAT}
        step={step}
      >
        <NumberField.Group className={fieldClass.group}>
          <NumberField.Input
            onBlur={() => value === null && onChange(fallback)}
            className="figures min-w-0 flex-1 bg-transparent px-3.5 outline-none"
          />
          <NumberField.Decrement aria-label="Decrease" className={stepClass}>
            <Minus aria-hidden className="size-4" />
          </NumberField.Decrement>
          <NumberField.Increment aria-label="Increase" className={stepClass}>
            <Plus aria-hidden className="size-4" />
          </NumberField.Increment>
        </NumberField.Group>
      </NumberField.Root>
      <Field.Error className={fieldClass.error} />
    </Field.Root>
  );
}

const stepClass =
  "flex w-10 items-center justify-center text-ink-faint transition-colors hover:bg-raised hover:text-ink disabled:opacity-40";
