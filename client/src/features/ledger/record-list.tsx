import { BookOpen } from "lucide-react";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { LoadError } from "./load-error.tsx";
import { RecordItem } from "./record-item.tsx";
import { ledgerTexts, recordTexts as texts } from "./texts.ts";
import { useRecords } from "./use-records.ts";

/** The records up to number `from`, newest first, page by page. */
export function RecordList({ from }: { from: number }) {
  const { entries, error, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } =
    useRecords(from);
  return (
    <section aria-labelledby="records" className="flex flex-col gap-4">
      <h2 id="records" className="text-xl font-semibold tracking-tight">
        {texts.title}
      </h2>
      {entries?.length === 0 && <Empty />}
      {entries && entries.length > 0 && (
        <Card className="overflow-hidden">
          <ol className="divide-y divide-line">
            {entries.map((entry) => (
              <li key={entry.record.seq}>
                <RecordItem entry={entry} />
              </li>
            ))}
          </ol>
        </Card>
      )}
      {!entries && !error && (
        <div role="status" aria-label={ledgerTexts.loading}>
          <Skeleton className="h-96 rounded-card" />
        </div>
      )}
      {error && <LoadError onAgain={() => void (entries ? fetchNextPage() : refetch())} />}
      {hasNextPage && !error && (
        <Button
          variant="secondary"
          busy={isFetchingNextPage}
          onClick={() => void fetchNextPage()}
          className="self-center"
        >
          {texts.older}
        </Button>
      )}
    </section>
  );
}

function Empty() {
  return (
    <div className="flex min-h-56 flex-col items-center justify-center gap-2 rounded-card border border-dashed border-line-strong p-8 text-center">
      <BookOpen aria-hidden className="size-9 text-ink-faint" strokeWidth={1.5} />
      <p className="mt-1 text-lg font-semibold">{texts.empty}</p>
      <p className="text-ink-muted">{texts.emptyLead}</p>
    </div>
  );
}
