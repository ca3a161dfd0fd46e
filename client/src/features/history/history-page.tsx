import { History } from "lucide-react";
import { useState } from "react";
import { Link, useSearchParams } from "react-router-dom";
import { Button } from "../../ui/button.tsx";
import { buttonClass } from "../../ui/button-class.ts";
import { Notice } from "../../ui/notice.tsx";
import { PageHeading } from "../../ui/page-heading.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { ExportButtons } from "./export-buttons.tsx";
import { historyErrorText } from "./history-error.ts";
import { type HistoryFilter, noFilter } from "./history-filter.ts";
import { HistoryFilters } from "./history-filters.tsx";
import { HistoryList } from "./history-list.tsx";
import { LinkedSignal } from "./linked-signal.tsx";
import { LoadMore } from "./load-more.tsx";
import { historyTexts as texts } from "./texts.ts";
import { useHistory } from "./use-history.ts";

export function HistoryPage() {
  const history = useHistory();
  const [params] = useSearchParams();
  const [filter, setFilter] = useState(noFilter);
  const linkedId = params.get("id");
  return (
    <div className="page flex flex-col gap-6 py-8 sm:py-10">
      <div className="flex flex-wrap items-end justify-between gap-4">
        <PageHeading title={texts.title}>{texts.lead}</PageHeading>
        {linkedId === null && history.items && history.items.length > 0 && (
          <ExportButtons filter={filter} />
        )}
      </div>
      {linkedId !== null ? (
        <LinkedSignal key={linkedId} id={linkedId} history={history} />
      ) : (
        <Signals history={history} filter={filter} onFilter={setFilter} />
      )}
    </div>
  );
}

interface SignalsProps {
  history: ReturnType<typeof useHistory>;
  filter: HistoryFilter;
  onFilter(filter: HistoryFilter): void;
}

/** All signals, to be filtered; the older ones are read as the reader comes near them, or the filter asks for them. */
function Signals({ history, filter, onFilter }: SignalsProps) {
  const { items, error, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = history;
  const again = () => void (items ? fetchNextPage() : refetch());
  return (
    <>
      {!items && !error && <HistorySkeleton />}
      {items?.length === 0 && <EmptyHistory />}
      {items && items.length > 0 && (
        <>
          <HistoryFilters filter={filter} onChange={onFilter} />
          <HistoryList items={items} filter={filter} hasMore={hasNextPage} />
        </>
      )}
      {error && <HistoryError error={error} onAgain={again} />}
      {hasNextPage && !error && (
        <LoadMore busy={isFetchingNextPage} onWanted={() => void fetchNextPage()} />
      )}
    </>
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
