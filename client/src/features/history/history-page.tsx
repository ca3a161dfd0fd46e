import { History } from "lucide-react";
import { useState } from "react";
import { Link, useSearchParams } from "react-router-dom";
import { Button } from "../../ui/button.tsx";
import { buttonClass } from "../../ui/button-class.ts";
import { Notice } from "../../ui/notice.tsx";
import { PageHeading } from "../../ui/page-heading.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { TextLink } from "../../ui/text-link.tsx";
import { ExportButtons } from "./export-buttons.tsx";
import { historyErrorText } from "./history-error.ts";
import { type HistoryFilter, isFiltering, noFilter } from "./history-filter.ts";
import { HistoryFilters } from "./history-filters.tsx";
import { HistoryList, NoMatch } from "./history-list.tsx";
import { LinkedSignal } from "./linked-signal.tsx";
import { LoadMore } from "./load-more.tsx";
import { filterTexts, historyTexts as texts } from "./texts.ts";
import { useHistory } from "./use-history.ts";

export function HistoryPage() {
  const [params] = useSearchParams();
  const [wanted, setWanted] = useState(noFilter);
  const linkedId = params.get("id");
  const filter = linkedId === null ? wanted : noFilter;
  const history = useHistory(filter);
  const { items, error } = history;
  // There from the start, so that nothing moves once the signals are there.
  const hasSignals = isFiltering(filter) || (items ? items.length > 0 : !error);
  return (
    <div className="page flex flex-col gap-6 py-8 sm:py-10">
      <div className="flex flex-wrap items-end justify-between gap-4">
        <PageHeading title={texts.title}>
          {texts.lead} <TextLink to="/performance">{texts.toPerformance}</TextLink>
        </PageHeading>
        {linkedId === null && hasSignals && <ExportButtons filter={filter} />}
      </div>
      {linkedId === null && hasSignals && <HistoryFilters filter={filter} onChange={setWanted} />}
      {linkedId !== null ? (
        <LinkedSignal key={linkedId} id={linkedId} history={history} />
      ) : (
        <Signals history={history} filter={filter} onFilter={setWanted} />
      )}
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
      {isSettling ? filterTexts.searching : filterTexts.found(count, hasNextPage)}
    </p>
  );
}

function HistoryError({ error, onAgain }: { error: Error; onAgain(): void }) {
  return (
    <Notice tone="error" role="alert">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <span className="text-ink">{historyErrorText(error)}</span>
        <Button variant="secondary" onClick={onAgain}>
          {texts.tryAgain}
        </Button>
      </div>
    </Notice>
  );
}

function EmptyHistory() {
  return (
    <div className="flex min-h-80 flex-col items-center justify-center gap-3 rounded-card border border-dashed border-line-strong p-8 text-center">
      <History aria-hidden className="size-9 text-ink-faint" strokeWidth={1.5} />
      <p className="text-lg font-semibold">{texts.empty}</p>
      <p className="text-ink-muted">{texts.emptyLead}</p>
      <Link to="/bot" className={`${buttonClass()} mt-2`}>
        {texts.toBot}
      </Link>
    </div>
  );
}

function HistorySkeleton() {
  return (
    <div role="status" aria-label={texts.loading} className="flex flex-col gap-4">
      <Skeleton className="h-52 rounded-card" />
      <Skeleton className="h-52 rounded-card" />
      <Skeleton className="h-52 rounded-card" />
    </div>
  );
}
