import { Autocomplete } from "@base-ui/react/autocomplete";
import { Field } from "@base-ui/react/field";
import { SYMBOL_SUGGESTIONS } from "@shared/contract/constants.ts";
import { ChevronDown } from "lucide-react";
import { useState } from "react";
import { fieldClass } from "../../ui/field-class.ts";
import { matchesSymbol } from "./matches-symbol.ts";
import { botTexts } from "./texts.ts";

interface SymbolFieldProps {
  value: string;
  onChange(value: string): void;
}

/** A symbol: one of the suggestions or free text. The list is narrowed only by what is typed since it opened. */
export function SymbolField({ value, onChange }: SymbolFieldProps) {
  const [typed, setTyped] = useState(false);
  const [open, setOpen] = useState(false);
  const show = (next: boolean) => {
    setOpen(next);
    if (!next) setTyped(false);
  };
  return (
    <Field.Root name="symbol" className={fieldClass.root}>
      <Field.Label className={fieldClass.label}>{botTexts.symbol}</Field.Label>
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

/**
 * The list without the library's popup part: that one hides the rest of the page from assistive technology while it is
 * open, which is too much for suggestions that nobody has to choose from.
 */
function SymbolList({ onPick }: { onPick(symbol: string): void }) {
  return (
    <Autocomplete.Portal>
      <Autocomplete.Positioner sideOffset={6} className="z-20 outline-none">
        <div className="max-h-[min(20rem,var(--available-height))] w-(--anchor-width) overflow-y-auto overscroll-contain rounded-control border border-line-strong bg-raised p-1 shadow-float">
          <Autocomplete.Empty>
            <p className="px-3 py-2 text-sm text-ink-muted">{botTexts.noSuggestion}</p>
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
