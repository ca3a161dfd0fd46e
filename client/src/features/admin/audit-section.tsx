import type { AuditEntry } from "@shared/contract/admin.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { LocalTime } from "../../ui/local-time.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { useAudit } from "./admin-queries.ts";
import { AdminSection } from "./admin-section.tsx";
import { auditSentence } from "./audit-sentence.ts";
import { LoadError } from "./load-error.tsx";
import { adminTexts, auditTexts as texts } from "./texts.ts";

/** Who of the administrators did what, to whom and when. */
export function AuditSection() {
  const { data, error, isFetching, isFetchingNextPage, hasNextPage, ...query } = useAudit();
  const entries = data?.pages.flatMap((page) => page.entries);
  const again = () => void (entries ? query.fetchNextPage() : query.refetch());
  return (
    <AdminSection id="audit" title={texts.title} lead={texts.lead}>
      {!entries && !error && (
        <div role="status" aria-label={adminTexts.loading}>
          <Skeleton className="h-64 rounded-card" />
        </div>
      )}
      {entries?.length === 0 && <p className="text-ink-muted">{texts.empty}</p>}
      {entries && entries.length > 0 && <Entries entries={entries} />}
      {error && (
        <LoadError title={texts.loadFailed} error={error} busy={isFetching} onAgain={again} />
      )}
      {hasNextPage && !error && (
        <Button
          variant="secondary"
          className="self-center"
          busy={isFetchingNextPage}
          onClick={() => void query.fetchNextPage()}
        >
          {isFetchingNextPage ? texts.loadingMore : texts.loadMore}
        </Button>
      )}
    </AdminSection>
  );
}

function Entries({ entries }: { entries: AuditEntry[] }) {
  return (
    <Card>
      <ol className="divide-y divide-line">
        {entries.map((entry) => (
          <li
            key={entry.id}
            className="flex flex-col gap-x-6 gap-y-0.5 px-4 py-3 text-sm sm:flex-row sm:items-baseline sm:px-5"
          >
            <p className="figures shrink-0 text-ink-faint sm:order-last sm:ml-auto">
              <LocalTime iso={entry.at} atEnd />
            </p>
            <p className="min-w-0 break-words text-ink-muted">
              <span className="font-medium text-ink">{entry.actor}</span> {auditSentence(entry)}
            </p>
          </li>
        ))}
      </ol>
    </Card>
  );
}
