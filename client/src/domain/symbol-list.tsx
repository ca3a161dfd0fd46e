import { findInstrument } from "@shared/contract/instruments.ts";
import type { MarketQuote } from "@shared/contract/markets.ts";
import { formatPrice } from "@shared/contract/price.ts";
import { useEffect, useRef } from "react";
import { formatChange, formatMoment } from "../lib/format.ts";
import { type CurrentPrice, useLivePrice } from "../lib/realtime/live-prices.ts";
import { liveQuote, useMarkets } from "./markets.ts";
import { optionId, type SymbolGroup } from "./symbols.ts";

interface SymbolListProps {
  id: string;
  groups: SymbolGroup[];
  active: string | null;
  selected: string;
  onActive(symbol: string): void;
  onPick(symbol: string): void;
}

export function SymbolList({ id, groups, ...rows }: SymbolListProps) {
  const { active, selected } = rows;
  const { data, isError } = useMarkets();
  const quotes = data?.markets ?? [];
  const live = useLivePrice(quotes[0]?.symbol);
  const count = groups.reduce((sum, { symbols }) => sum + symbols.length, 0);
  const current = useRef(active ?? selected);
  current.current = active ?? selected;
  useEffect(() => {
    const option = document.getElementById(optionId(id, active ?? current.current));
    option?.parentElement?.scrollIntoView({ block: "nearest" });
  }, [id, active]);
  return (
    // Keeps the focus in the input.
    // biome-ignore lint/a11y/noStaticElementInteractions: it is no control
    <div
      onMouseDown={(event) => event.preventDefault()}
      className="absolute inset-x-0 top-full z-20 mt-1.5 overflow-hidden rounded-control border border-line-strong bg-raised shadow-float"
    >
      <div
        id={id}
        role="listbox"
        aria-label="Symbols"
        className="max-h-80 overflow-y-auto overscroll-contain p-1"
      >
        {groups.map((group) => (
          <Group key={group.title} listId={id} group={group} quotes={quotes} {...rows} />
        ))}
      </div>
      <p role="status" className="sr-only">
        {count === 1 ? "1 symbol" : `${count} symbols`}
      </p>
      <p className="figures border-t border-line px-3 py-2 text-xs text-ink-faint">
        {count === 0
          ? "Not in this list. You can request it nevertheless."
          : pricesNote(quotes, { isError, live })}
      </p>
    </div>
  );
}

function pricesNote(
  quotes: MarketQuote[],
  { isError, live }: { isError: boolean; live: CurrentPrice | null },
): string {
  if (live && !live.isStale) return "Live prices, change in 24 hours";
  const newest = quotes
    .map(({ as_of }) => as_of)
    .sort()
    .at(-1);
  if (newest) return `Prices at ${formatMoment(newest, new Date())}, change in 24 hours`;
  return isError
    ? "Prices are not available at the moment."
    : "Prices will appear here in a moment.";
}

interface GroupProps extends Omit<SymbolListProps, "id" | "groups"> {
  listId: string;
  group: SymbolGroup;
  quotes: MarketQuote[];
}

function Group({ listId, group: { title, symbols }, quotes, ...row }: GroupProps) {
  const titleId = `${listId}-${title}`;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a group of options
    <div role="group" aria-labelledby={titleId}>
      <p
        id={titleId}
        role="presentation"
        className="px-2 pt-2.5 pb-1 text-xs font-medium text-ink-faint"
      >
        {title}
      </p>
      {symbols.map((symbol) => (
        <Row
          key={symbol}
          id={optionId(listId, symbol)}
          symbol={symbol}
          quote={quotes.find((quote) => quote.symbol === symbol)}
          {...row}
        />
      ))}
    </div>
  );
}

interface RowProps extends Omit<GroupProps, "listId" | "group" | "quotes"> {
  id: string;
  symbol: string;
  quote: MarketQuote | undefined;
}

/** The name of an option is its symbol; the price beside it is its description. */
function Row({ id, symbol, quote, active, selected, onActive, onPick }: RowProps) {
  const factsId = `${id}-facts`;
  return (
    <div
      data-active={symbol === active || undefined}
      className="group relative flex items-center gap-2 rounded-md px-2 py-1 data-active:bg-accent/15"
    >
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the input handles the keys */}
      <div
        id={id}
        role="option"
        tabIndex={-1}
        aria-selected={symbol === selected}
        aria-describedby={factsId}
        onClick={() => onPick(symbol)}
        onMouseMove={() => symbol !== active && onActive(symbol)}
        className="text-sm font-medium select-none before:absolute before:inset-0 aria-selected:text-accent"
      >
        {symbol}
      </div>
      <Facts id={factsId} name={findInstrument(symbol)?.name} quote={quote} />
    </div>
  );
}

interface FactsProps {
  id: string;
  name: string | undefined;
  quote: MarketQuote | undefined;
}

function Facts({ id, name, quote: lastQuote }: FactsProps) {
  const live = useLivePrice(lastQuote?.symbol);
  const quote = lastQuote && liveQuote(lastQuote, live);
  return (
    <span
      id={id}
      aria-hidden
      className="figures flex min-w-0 flex-1 items-center justify-end gap-2 text-xs"
    >
      <span className="min-w-0 flex-1 truncate text-ink-faint">{name}</span>
      {quote && (
        <span className="flex flex-col items-end leading-tight">
          <span className={live?.isStale ? "text-ink-faint" : "text-ink"}>
            {formatPrice(quote.price)}
          </span>{" "}
          <span className={quote.change_percent < 0 ? "text-sell" : "text-buy"}>
            {formatChange(quote.change_percent)}
          </span>
        </span>
      )}
    </span>
  );
}
