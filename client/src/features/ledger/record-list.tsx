import type { LedgerEntry, LedgerFigures } from "@shared/contract/ledger.ts";
import { BookOpen, ChevronRight, Lock } from "lucide-react";
import { formatCount, formatDateTime, formatPrice } from "../../lib/format.ts";
import { Alert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { Card, Skeleton } from "../../ui/card.tsx";
import { OutcomeBadge } from "../../ui/outcome-badge.tsx";
import { SignalBadge } from "../../ui/signal-badge.tsx";
import { useRecords } from "./api.ts";

export function RecordList({ from }: { from: number }) {
  const { entries, error, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } =
    useRecords(from);
  return (
    <section aria-labelledby="records" className="flex flex-col gap-4">
      <h2 id="records" className="text-xl font-semibold tracking-tight">
        Newest records
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
        <div role="status" aria-label="Loading the ledger">
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
          Show older records
        </Button>
      )}
    </section>
  );
}

function Empty() {
  return (
    <div className="flex min-h-56 flex-col items-center justify-center gap-2 rounded-card border border-dashed border-line-strong p-8 text-center">
      <BookOpen aria-hidden className="size-9 text-ink-faint" strokeWidth={1.5} />
      <p className="mt-1 text-lg font-semibold">No records yet.</p>
      <p className="text-ink-muted">Records appear here when the first analysis finishes.</p>
    </div>
  );
}

function RecordItem({ entry }: { entry: LedgerEntry }) {
  const { record } = entry;
  return (
    <details className="group">
      <summary className="flex cursor-pointer list-none flex-wrap items-center gap-x-4 gap-y-2 px-4 py-4 transition-colors hover:bg-raised sm:px-6 [&::-webkit-details-marker]:hidden">
        <ChevronRight
          aria-hidden
          className="size-4 shrink-0 text-ink-faint transition-transform group-open:rotate-90"
        />
        <span className="figures w-16 shrink-0 text-sm text-ink-faint">#{record.seq}</span>
        <span className="flex min-w-0 flex-1 flex-wrap items-center gap-x-3 gap-y-1.5">
          <Statement entry={entry} />
        </span>
        <time
          dateTime={record.at}
          className="figures w-full pl-8 text-sm text-ink-faint sm:w-auto sm:pl-0"
        >
          {formatDateTime(record.at)}
        </time>
      </summary>
      <pre className="mx-4 mb-4 rounded-control bg-canvas p-4 font-mono text-xs leading-relaxed break-all whitespace-pre-wrap text-ink-muted sm:mx-6">
        {JSON.stringify(entry, null, 2)}
      </pre>
    </details>
  );
}

function Statement({ entry: { record, reveal } }: { entry: LedgerEntry }) {
  if (record.kind === "outcome") {
    const { outcome, analysis_seq: seq, r_multiple: multiple } = record.body;
    return (
      <>
        <OutcomeBadge outcome={outcome} />
        {multiple !== null && (
          <span className="figures text-sm">
            {multiple > 0 ? "+" : ""}
            {multiple.toFixed(2).replace("-", "\u2212")} R
          </span>
        )}
        <span className="figures text-sm text-ink-faint">of record {formatCount(seq)}</span>
      </>
    );
  }
  return (
    <>
      {reveal ? <Figures figures={reveal.figures} /> : <Sealed />}
      {record.body.data === "replay" && (
        <span className="rounded-md border border-wait/35 px-1.5 py-0.5 text-xs text-wait">
          Demo data
        </span>
      )}
    </>
  );
}

function Sealed() {
  return (
    <span className="inline-flex items-center gap-1.5 text-sm text-ink-muted">
      <Lock aria-hidden className="size-4 text-accent" />
      <span className="font-medium text-ink">Signal</span> Hidden until resolved
    </span>
  );
}

function Figures({ figures }: { figures: LedgerFigures }) {
  const { final_signal: signal, symbol, timeframe, entry, stop_loss, take_profit } = figures;
  const levels = [
    { name: "Entry", price: entry },
    { name: "Stop", price: stop_loss },
    { name: "Target", price: take_profit },
  ];
  return (
    <>
      <SignalBadge signal={signal} />
      <span className="text-sm font-medium">
        {symbol} <span className="font-normal text-ink-muted">{timeframe}</span>
      </span>
      {levels.map(
        ({ name, price }) =>
          price !== null && (
            <span key={name} className="figures text-sm text-ink-muted">
              <span className="text-ink-faint">{name}</span> {formatPrice(price)}
            </span>
          ),
      )}
    </>
  );
}

export function LoadError({ onAgain }: { onAgain(): void }) {
  return (
    <Alert tone="error" role="alert">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <span className="text-ink">The ledger could not be loaded.</span>
        <Button variant="secondary" onClick={onAgain}>
          Try again
        </Button>
      </div>
    </Alert>
  );
}
