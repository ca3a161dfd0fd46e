import { Field } from "@base-ui/react/field";
import { TIMEFRAMES } from "@shared/contract/constants.ts";
import type { Timeframe } from "@shared/contract/market-data.ts";
import { ChevronDown } from "lucide-react";
import { type KeyboardEvent, memo, type ReactNode, useId, useMemo, useState } from "react";
import { fieldClass } from "../ui/field-class.ts";
import { lazyComponent, usePreload } from "../ui/lazy-component.tsx";
import { optionId, symbolGroups, useRecentSymbols } from "./symbols.ts";
import { useWatchlist } from "./watchlist.ts";

/** Loaded when it is first opened. */
const SymbolList = lazyComponent(() => import("./symbol-list.tsx"), "SymbolList", {
  isSilent: true,
});

interface OpenList {
  /** What was typed since it is open. */
  query: string;
  active: string | null;
}

interface SymbolFieldProps {
  value: string;
  onChange(symbol: string): void;
}

/** A suggestion or free text: an editable combobox as in the ARIA practices, whose focus stays in the input. */
export const SymbolField = memo(function SymbolField({ value, onChange }: SymbolFieldProps) {
  const recent = useRecentSymbols();
  const { data: watchlist } = useWatchlist();
  const [list, setList] = useState<OpenList | null>(null);
  const query = list?.query ?? "";
  const groups = useMemo(() => {
    const watched = watchlist?.items.map((item) => item.symbol) ?? [];
    return symbolGroups(query, { watched, recent });
  }, [query, watchlist, recent]);
  const listId = useId();
  usePreload(SymbolList);
  const active = list?.active ?? null;
  const close = () => setList(null);
  const pick = (symbol: string) => {
    onChange(symbol);
    close();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const next = nextActive(
      event,
      groups.flatMap(({ symbols }) => symbols),
      active,
    );
    if (next !== undefined) setList({ query: list?.query ?? "", active: next });
    else if (event.key === "Enter" && active !== null) pick(active);
    else if (event.key === "Escape" && list) close();
    else return;
    event.preventDefault();
  };
  return (
    <Field.Root name="symbol" className={fieldClass.root}>
      <Field.Label className={fieldClass.label}>Symbol</Field.Label>
      <div className="relative flex gap-2">
        <div className="relative min-w-0 flex-1">
          <Field.Control
            role="combobox"
            aria-autocomplete="list"
            aria-expanded={list !== null}
            aria-controls={list ? listId : undefined}
            aria-activedescendant={active === null ? undefined : optionId(listId, active)}
            autoComplete="off"
            autoCapitalize="characters"
            spellCheck={false}
            value={value}
            onValueChange={(symbol) => {
              onChange(symbol);
              setList({ query: symbol.trim(), active: null });
            }}
            onKeyDown={onKeyDown}
            onClick={() => list ?? setList({ query: "", active: null })}
            onFocus={({ currentTarget }) => currentTarget.select()}
            onBlur={close}
            className={`${fieldClass.input} pr-10 font-medium uppercase`}
          />
          <ChevronDown aria-hidden className={`${fieldClass.icon} right-3.5`} />
        </div>
        {list && (
          <SymbolList
            groups={groups}
            active={active}
            id={listId}
            selected={value}
            onActive={(symbol) => setList({ ...list, active: symbol })}
            onPick={pick}
          />
        )}
      </div>
      <Field.Error className={fieldClass.error} />
    </Field.Root>
  );
});

/** The option that a key moves to, if any. Home and End move the cursor in the text until an option is active. */
function nextActive(
  { key }: KeyboardEvent,
  options: string[],
  active: string | null,
): string | null | undefined {
  const index = active === null ? -1 : options.indexOf(active);
  const first = options.at(0) ?? null;
  const last = options.at(-1) ?? null;
  if (key === "ArrowDown") return options[index + 1] ?? first;
  if (key === "ArrowUp") return index > 0 ? options[index - 1] : last;
  if (active === null) return undefined;
  if (key === "Home") return first;
  return key === "End" ? last : undefined;
}

interface TimeframeFieldProps {
  value: Timeframe;
  options?: readonly Timeframe[];
  error?: string | undefined;
  /** Stands at the end of the label's line. */
  end?: ReactNode;
  onChange(timeframe: Timeframe): void;
}

export function TimeframeField(props: TimeframeFieldProps) {
  const { value, options = TIMEFRAMES, error, end, onChange } = props;
  const id = useId();
  const errorId = `${id}-error`;
  return (
    <div
      role="radiogroup"
      aria-labelledby={id}
      aria-describedby={error ? errorId : undefined}
      className={fieldClass.root}
    >
      <div className="flex items-center justify-between gap-3">
        <span id={id} className={fieldClass.label}>
          Timeframe
        </span>
        {end}
      </div>
      <div className="grid auto-cols-fr grid-flow-col rounded-control border border-line-strong bg-canvas p-1">
        {options.map((timeframe) => (
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
      {error && (
        <p id={errorId} role="alert" className={fieldClass.error}>
          {error}
        </p>
      )}
    </div>
  );
}
