import type { HistoryItem } from "@shared/contract/signal.ts";
import { History, SearchX } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { Link } from "react-router-dom";
import { Alert } from "../../ui/alert.tsx";
import { Button, buttonClass, TextLink } from "../../ui/button.tsx";
import { Skeleton } from "../../ui/card.tsx";
import { PageHeading } from "../../ui/page-heading.tsx";
import { ExportButtons, HistoryFilters } from "./components/history-toolbar.tsx";
import { SignalCard } from "./components/signal-card.tsx";
import { type HistoryFilter, isFiltering, noFilter } from "./history-filter.ts";
import { useHistory } from "./hooks/use-history.ts";
import { filterMessages, historyErrorText, historyMessages } from "./messages.ts";

export function HistoryPage() {
  const [filter, setFilter] = useState(noFilter);
  const history = useHistory(filter);
  const { items, error } = history;
  // Shown while the signals load, so that nothing moves once they are there.
  const hasSignals = isFiltering(filter) || (items ? items.length > 0 : !error);
  return (
    <div className="page flex flex-col gap-6 py-8 sm:py-10">
      <div className="flex flex-wrap items-end justify-between gap-4">
        <PageHeading title={historyMessages.title}>
          {historyMessages.lead}{" "}
          <TextLink to="/performance">{historyMessages.toPerformance}</TextLink>
        </PageHeading>
        {hasSignals && <ExportButtons filter={filter} />}
      </div>
      {hasSignals && <HistoryFilters filter={filter} onChange={setFilter} />}
      <Signals history={history} filter={filter} onFilter={setFilter} />
    </div>
  );
}

interface SignalsProps {
  history: ReturnType<typeof useHistory>;
  filter: HistoryFilter;
  onFilter(filter: HistoryFilter): void;
}

/** The signals that fit the filter; the older ones are read as the reader comes near them. */
function Signals({ history, filter, onFilter }: SignalsProps) {
  const { items, error, isSettling, hasNextPage, isFetchingNextPage, fetchNextPage } = history;
  const again = () => void (items ? fetchNextPage() : history.refetch());
  const isEmpty = items?.length === 0 && !isSettling && !hasNextPage;
  const isUnknown = !error && (!items || (items.length === 0 && isSettling));
  return (
    <>
      {isFiltering(filter) && items && <Found count={items.length} {...history} />}
      {isUnknown && <HistorySkeleton />}
      {isEmpty && !isFiltering(filter) && <EmptyHistory />}
      {isEmpty && isFiltering(filter) && <NoMatch onClear={() => onFilter(noFilter)} />}
      {items && <HistoryList items={items} />}
      {error && <HistoryError error={error} onAgain={again} />}
      {hasNextPage && !error && !isSettling && (
        <LoadMore busy={isFetchingNextPage} onWanted={() => void fetchNextPage()} />
      )}
    </>
  );
}

interface FoundProps {
  count: number;
  isSettling: boolean;
  hasNextPage: boolean;
}

/** How many signals fit; where none does, what stands below says so to those who see it. */
function Found({ count, isSettling, hasNextPage }: FoundProps) {
  const isNone = count === 0 && !isSettling;
  return (
    <p role="status" className={`figures text-sm text-ink-muted ${isNone ? "sr-only" : ""}`}>
      {isSettling ? filterMessages.searching : filterMessages.found(count, hasNextPage)}
    </p>
  );
}

function HistoryError({ error, onAgain }: { error: Error; onAgain(): void }) {
  return (
    <Alert tone="error" role="alert">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <span className="text-ink">{historyErrorText(error)}</span>
        <Button variant="secondary" onClick={onAgain}>
          {historyMessages.tryAgain}
        </Button>
      </div>
    </Alert>
  );
}

function EmptyHistory() {
  return (
    <div className="flex min-h-80 flex-col items-center justify-center gap-3 rounded-card border border-dashed border-line-strong p-8 text-center">
      <History aria-hidden className="size-9 text-ink-faint" strokeWidth={1.5} />
      <p className="text-lg font-semibold">{historyMessages.empty}</p>
      <p className="text-ink-muted">{historyMessages.emptyLead}</p>
      <Link to="/bot" className={`${buttonClass()} mt-2`}>
        {historyMessages.toBot}
      </Link>
    </div>
  );
}

function HistorySkeleton() {
  return (
    <div role="status" aria-label={historyMessages.loading} className="flex flex-col gap-4">
      <Skeleton className="h-52 rounded-card" />
      <Skeleton className="h-52 rounded-card" />
      <Skeleton className="h-52 rounded-card" />
    </div>
  );
}

/** How many the tallest window shows at first; those below are laid out when they come near it. */
const IN_VIEW = 10;
const unseenClass = "[contain-intrinsic-size:auto_13rem] [content-visibility:auto]";

/** The signals that have been read, newest first. */
export function HistoryList({ items }: { items: HistoryItem[] }) {
  return (
    <ol className="flex flex-col gap-4 empty:hidden">
      {items.map((item, index) => (
        <li key={item.id} className={index < IN_VIEW ? "" : unseenClass}>
          <SignalCard item={item} />
        </li>
      ))}
    </ol>
  );
}

/** What is shown where no signal fits the filter. */
export function NoMatch({ onClear }: { onClear(): void }) {
  return (
    <div className="flex min-h-80 flex-col items-center justify-center gap-3 rounded-card border border-dashed border-line-strong p-8 text-center">
      <SearchX aria-hidden className="size-9 text-ink-faint" strokeWidth={1.5} />
      <p className="text-lg font-semibold">{filterMessages.noMatch}</p>
      <p className="text-ink-muted text-pretty">{filterMessages.noMatchLead}</p>
      <Button variant="secondary" className="mt-2" onClick={onClear}>
        {filterMessages.showAll}
      </Button>
    </div>
  );
}

/** How far below the view the next page is fetched already. */
const AHEAD = "600px";

interface LoadMoreProps {
  busy: boolean;
  onWanted(): void;
}

/** Loads the next page when it comes near the view, or at a press. */
export function LoadMore({ busy, onWanted }: LoadMoreProps) {
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
        {busy ? historyMessages.loadingMore : historyMessages.loadMore}
      </Button>
    </div>
  );
}
