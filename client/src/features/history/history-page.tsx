import type { HistoryItem } from "@shared/contract/signal.ts";
import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { History, SearchX } from "lucide-react";
import { useDeferredValue, useEffect, useMemo, useRef, useState } from "react";
import { Link } from "react-router-dom";
import { formatCount, formatR, formatRate } from "../../lib/format.ts";
import { useRealtime } from "../../lib/realtime/store.ts";
import { useFilterParams } from "../../lib/use-filter-params.ts";
import { Button, buttonClass, TextLink } from "../../ui/button.tsx";
import { Skeleton } from "../../ui/card.tsx";
import { EmptyState, LoadError } from "../../ui/load-states.tsx";
import { PageHeading } from "../../ui/page-heading.tsx";
import { signalKeys } from "../signals/apply-event.ts";
import {
  addressOfFilter,
  filterHistory,
  filterOfAddress,
  type HistoryFilter,
  historyErrorText,
  isFiltering,
  noFilter,
  readHistory,
  totalsQuery,
} from "./api.ts";
import { ExportButtons, HistoryFilters } from "./history-toolbar.tsx";
import { RowHeadings, SignalCard } from "./signal-card.tsx";

export function HistoryPage() {
  const [filter, setFilter] = useFilter();
  const { requested, ...history } = useHistory(filter);
  const { items, error } = history;
  // Shown while the signals load, so that nothing moves once they are there.
  const hasSignals = isFiltering(filter) || (items ? items.length > 0 : !error);
  return (
    <div className="page flex flex-col gap-3 py-4 sm:gap-6 sm:py-10">
      <div className="flex items-start justify-between gap-4 sm:items-end">
        <PageHeading title="Signal history">
          <span className="max-sm:sr-only">
            All your signals and their outcomes, newest first.{" "}
          </span>
          <TextLink to="/results">Results</TextLink> ·{" "}
          <TextLink to="/performance">Performance</TextLink>
        </PageHeading>
        {hasSignals && <ExportButtons filter={filter} />}
      </div>
      {hasSignals && <HistoryFilters filter={filter} onChange={setFilter} />}
      {hasSignals && <HistoryTotals filter={requested} />}
      <Signals history={history} filter={filter} onFilter={setFilter} />
    </div>
  );
}

/** The address says the filter, so that it is there again when the reader comes back. */
function useFilter() {
  const [address, setAddress] = useFilterParams();
  const text = String(address);
  const filter = useMemo(() => filterOfAddress(new URLSearchParams(text)), [text]);
  const setFilter = (next: HistoryFilter) => setAddress(addressOfFilter(next), { replace: true });
  return [filter, setFilter] as const;
}

function HistoryTotals({ filter }: { filter: HistoryFilter }) {
  const ready = useRealtime((live) => live.ready);
  const { data } = useQuery(totalsQuery(filter, ready));
  const rate = data?.win_rate;
  const facts = data && [
    { label: "Signals", value: formatCount(data.signals) },
    { label: "Closed", what: " trades", value: formatCount(data.trades) },
    {
      label: "Win rate",
      value: rate ? formatRate(rate.value) : "–",
      note: rate && (
        <>
          <span className="max-sm:sr-only">95% interval </span>
          {formatRate(rate.low)} to {formatRate(rate.high)}
        </>
      ),
    },
    { label: "Result", value: data.trades > 0 ? formatR(data.r) : "–", note: "after costs" },
  ];
  return (
    <dl
      aria-label="Totals"
      className="figures grid min-h-16 grid-cols-[auto_auto_1fr_auto] items-start gap-x-3.5 rounded-card border border-line bg-surface px-4 py-1.5 sm:min-h-13 sm:gap-x-10 sm:py-2"
    >
      {facts?.map(({ label, what, value, note }) => (
        <div key={label} className="min-w-0">
          <dt className="text-xs text-ink-faint">
            {label}
            {what && <span className="max-sm:sr-only">{what}</span>}
          </dt>
          <dd className="text-sm font-semibold">
            {value}{" "}
            {note && (
              <span className="text-xs font-normal whitespace-nowrap text-ink-faint max-sm:block">
                {note}
              </span>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}

interface SignalsProps {
  history: Omit<ReturnType<typeof useHistory>, "requested">;
  filter: HistoryFilter;
  onFilter(filter: HistoryFilter): void;
}

function Signals({ history, filter, onFilter }: SignalsProps) {
  const { items, error, isSettling, hasNextPage, isFetchingNextPage, fetchNextPage } = history;
  const retry = () => void (items ? fetchNextPage() : history.refetch());
  const isEmpty = items?.length === 0 && !isSettling && !hasNextPage;
  const isUnknown = !error && (!items || (items.length === 0 && isSettling));
  return (
    <>
      {isFiltering(filter) && items && <MatchCount count={items.length} {...history} />}
      {isUnknown && <HistorySkeleton />}
      {isEmpty && !isFiltering(filter) && <EmptyHistory />}
      {isEmpty && isFiltering(filter) && <NoMatch onClear={() => onFilter(noFilter)} />}
      {items && <HistoryList items={items} />}
      {error && <LoadError title={historyErrorText(error)} onRetry={retry} />}
      {hasNextPage && !error && !isSettling && (
        <LoadMore busy={isFetchingNextPage} onWanted={() => void fetchNextPage()} />
      )}
    </>
  );
}

interface MatchCountProps {
  count: number;
  isSettling: boolean;
  hasNextPage: boolean;
}

/** Without matches, it is for screen readers only: what stands below is in view. */
function MatchCount({ count, isSettling, hasNextPage }: MatchCountProps) {
  const isNone = count === 0 && !isSettling;
  const found = hasNextPage
    ? `The newest ${count} matching signals.`
    : `${count} matching ${count === 1 ? "signal" : "signals"}.`;
  return (
    <p role="status" className={`figures text-sm text-ink-muted ${isNone ? "sr-only" : ""}`}>
      {isSettling ? "Searching…" : found}
    </p>
  );
}

function EmptyHistory() {
  return (
    <EmptyState
      Icon={History}
      title="No signals generated yet."
      text="Request your first signal."
      className="min-h-80"
    >
      <Link to="/bot" className={`${buttonClass()} mt-2`}>
        Get a signal
      </Link>
    </EmptyState>
  );
}

function NoMatch({ onClear }: { onClear(): void }) {
  return (
    <EmptyState
      Icon={SearchX}
      title="No results"
      text="No signals match these filters."
      className="min-h-80"
    >
      <Button variant="secondary" className="mt-2" onClick={onClear}>
        Show all signals
      </Button>
    </EmptyState>
  );
}

function HistorySkeleton() {
  return (
    <div role="status" aria-label="Loading your signals" className="flex flex-col gap-2">
      <Skeleton className="h-30 rounded-card lg:h-15" count={8} />
    </div>
  );
}

/** As many as the tallest window shows at first; the others are laid out when they come near it. */
const IN_VIEW = 24;
const outOfViewClass =
  "[contain-intrinsic-size:auto_7.5rem] lg:[contain-intrinsic-size:auto_3.75rem] [content-visibility:auto]";

/** A further page is rendered in slices, so that scrolling goes on meanwhile. */
function HistoryList({ items }: { items: HistoryItem[] }) {
  const rendered = useDeferredValue(items);
  const cards = useMemo(() => onePerAnalysis(rendered), [rendered]);
  return (
    <div className="flex flex-col gap-2">
      {items.length > 0 && <RowHeadings />}
      <ol className="flex flex-col gap-2 empty:hidden lg:gap-0 lg:overflow-hidden lg:rounded-card lg:border lg:border-line lg:bg-surface">
        {cards.map(({ item, earlier }, index) => (
          <li key={item.id} className={index < IN_VIEW ? "" : outOfViewClass}>
            <SignalCard item={item} earlier={earlier} />
          </li>
        ))}
      </ol>
    </div>
  );
}

/** Signals of one analysis are one trade, which the newest of them shows. */
function onePerAnalysis(
  items: readonly HistoryItem[],
): { item: HistoryItem; earlier: HistoryItem[] }[] {
  const cards = new Map<string, { item: HistoryItem; earlier: HistoryItem[] }>();
  for (const item of items) {
    const key = item.analysis_id ?? item.id;
    const card = cards.get(key);
    const added = card ? { ...card, earlier: [...card.earlier, item] } : { item, earlier: NONE };
    cards.set(key, added);
  }
  return [...cards.values()];
}

/** The same for all cards, so that they are not rendered again. */
const NONE: HistoryItem[] = [];

const AHEAD = "600px";

/** Loads the next page when it comes near the view, or on a click. */
function LoadMore({ busy, onWanted }: { busy: boolean; onWanted(): void }) {
  const box = useRef<HTMLDivElement>(null);
  const wanted = useRef(onWanted);
  wanted.current = onWanted;
  useEffect(() => {
    if (!box.current || busy) return;
    const observer = new IntersectionObserver(
      ([entry]) => entry?.isIntersecting && wanted.current(),
      { rootMargin: AHEAD },
    );
    observer.observe(box.current);
    return () => observer.disconnect();
  }, [busy]);
  return (
    <div ref={box} className="flex justify-center">
      <Button variant="secondary" busy={busy} onClick={onWanted}>
        {busy ? "Loading..." : "Load more"}
      </Button>
    </div>
  );
}

const FIRST_PAGE: string | null = null;
const TYPING_MS = 250;

/** The user's signals that match the filter; until the server has answered, the matching ones of those read before. */
function useHistory(filter: HistoryFilter) {
  const ready = useRealtime((live) => live.ready);
  const requested = useDebouncedValue(filter, TYPING_MS);
  const query = useInfiniteQuery({
    queryKey: signalKeys.history(requested),
    queryFn: ({ pageParam, signal }) =>
      readHistory({ cursor: pageParam, filter: requested, signal }),
    initialPageParam: FIRST_PAGE,
    getNextPageParam: (page) => page.next_cursor,
    placeholderData: keepPreviousData,
    enabled: ready,
  });
  const { data } = query;
  const items = useMemo(() => {
    const read = data?.pages.flatMap((page) => page.signals);
    return read && filterHistory(read, filter);
  }, [data, filter]);
  const isSettling = requested !== filter || query.isPlaceholderData;
  return { ...query, items, isSettling, requested };
}

function useDebouncedValue<Value>(value: Value, delayMs: number): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), delayMs);
    return () => clearTimeout(timer);
  }, [value, delayMs]);
  return settled;
}
