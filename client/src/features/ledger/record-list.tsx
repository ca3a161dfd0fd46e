import { MESSAGES } from "@shared/contract/constants.ts";
import type { LedgerEntry, LedgerFigures } from "@shared/contract/ledger.ts";
import { formatPrice } from "@shared/contract/price.ts";
import { BookOpen, ChevronRight, Lock } from "lucide-react";
import type { ReactNode } from "react";
import { DataLabel, OutcomeBadge } from "../../domain/badges.tsx";
import { SignalBadge } from "../../domain/signal-badge.tsx";
import { formatCount, formatDateTime, formatR } from "../../lib/format.ts";
import { Card, Skeleton } from "../../ui/card.tsx";
import { EmptyState, NextPage } from "../../ui/load-states.tsx";
import { useRecords } from "./api.ts";

export function RecordList({ from }: { from: number }) {
  const query = useRecords(from);
  const entries = query.data;
  return (
    <section aria-labelledby="records" className="flex flex-col gap-4">
      <h2 id="records" className="text-xl font-semibold tracking-tight">
        Newest records
      </h2>
      {entries?.length === 0 && (
        <EmptyState
          Icon={BookOpen}
          title="No records yet."
          text="Records appear here when the first analysis finishes."
          className="min-h-56"
        />
      )}
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
      <NextPage
        query={query}
        failed="The ledger could not be loaded."
        skeleton={<Skeleton className="h-96 rounded-card" />}
      >
        Show older records
      </NextPage>
    </section>
  );
}

function RecordItem({ entry }: { entry: LedgerEntry }) {
  const { record } = entry;
  return (
    <details className="group">
      <RowSummary>
        <span className="figures shrink-0 text-sm text-ink-faint sm:w-16">#{record.seq}</span>
        <span className="order-last flex w-full min-w-0 flex-wrap items-center gap-x-3 gap-y-1.5 pl-8 sm:order-none sm:w-auto sm:flex-1 sm:pl-0">
          <Statement entry={entry} />
        </span>
        <time dateTime={record.at} className="figures ml-auto text-sm text-ink-faint">
          {formatDateTime(record.at)}
        </time>
      </RowSummary>
      <pre className="mx-4 mb-4 rounded-control bg-canvas p-4 font-mono text-xs leading-relaxed break-all whitespace-pre-wrap text-ink-muted sm:mx-6">
        {JSON.stringify(entry, null, 2)}
      </pre>
    </details>
  );
}

export function RowSummary({ children }: { children: ReactNode }) {
  return (
    <summary className="flex cursor-pointer list-none flex-wrap items-center gap-x-4 gap-y-2 px-4 py-4 transition-colors hover:bg-raised sm:px-6 [&::-webkit-details-marker]:hidden">
      <ChevronRight
        aria-hidden
        className="size-4 shrink-0 text-ink-faint transition-transform group-open:rotate-90"
      />
      {children}
    </summary>
  );
}

function Statement({ entry: { record, reveal } }: { entry: LedgerEntry }) {
  if (record.kind === "outcome") {
    const { outcome, analysis_seq: seq, r_multiple: multiple } = record.body;
    return (
      <>
        <span className="flex sm:w-22">
          <OutcomeBadge outcome={outcome} />
        </span>
        <span className="figures text-sm empty:max-sm:hidden sm:w-16 sm:text-right">
          {multiple !== null && formatR(multiple)}
        </span>
        <span className="figures text-sm text-ink-faint sm:w-32">of record {formatCount(seq)}</span>
        {record.body.demo_record && <DataLabel>{MESSAGES.demoRecord}</DataLabel>}
      </>
    );
  }
  return (
    <>
      {reveal ? <Revealed values={reveal.figures} /> : <Hidden />}
      {record.body.data === "replay" && (
        <DataLabel>{record.body.demo_record ? MESSAGES.demoRecord : "Demo data"}</DataLabel>
      )}
    </>
  );
}

function Hidden() {
  return (
    <span className="inline-flex items-center gap-1.5 text-sm text-ink-muted">
      <Lock aria-hidden className="size-4 text-accent" />
      <span className="font-medium text-ink">Signal</span> Hidden until resolved
    </span>
  );
}

function Revealed({ values }: { values: LedgerFigures }) {
  const { final_signal: signal, symbol, timeframe, entry, stop_loss, take_profit } = values;
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
