import type { LedgerHead } from "@shared/contract/ledger.ts";
import { formatDateTime, formatPlural } from "../../lib/format.ts";
import { Card, Skeleton } from "../../ui/card.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { LoadError } from "../../ui/load-states.tsx";
import { PageHeading, usePageDescription } from "../../ui/page-heading.tsx";
import { useHead } from "./api.ts";
import { RecheckCard, VerifyCard } from "./ledger-checks.tsx";
import { RecordList } from "./record-list.tsx";
import { WitnessSection } from "./witness-section.tsx";

const explanations = {
  "Committed before the outcome":
    "When an analysis finishes, we publish a fingerprint of its values: symbol, entry, stop, target and confidence. The fingerprint reveals nothing and matches only those values. Subscribers see the values first; everyone sees them once the trade is resolved.",
  "Each record includes the previous one":
    "Every record contains the fingerprint of its predecessor. Change one value, remove one loss or swap two records, and every later fingerprint stops matching.",
  "One record for each market":
    "An analysis belongs to its market and candle, not to a trader. However many traders get it, it is recorded once and counts once. The ledger contains nothing about traders: clearing a history or deleting an account changes nothing in it.",
  "What a chain cannot show by itself":
    "It cannot show that the whole ledger was not rewritten or its end cut off. Saved fingerprints can: those of the witnesses, and the last one your browser verified.",
};

export function LedgerPage() {
  usePageDescription(
    "The tamper-evident record of every AI Trading Bot analysis and its outcome. Download it and verify it yourself.",
  );
  const { data: head, error, refetch } = useHead();
  return (
    <div className="page flex flex-col gap-10 py-8 sm:py-12">
      <PageHeading title="Ledger">
        Every market analysis is committed to a hash chain before its outcome is known, wins and
        losses alike. Any later change or removal can be detected.
      </PageHeading>
      {error && <LoadError title="The ledger could not be loaded." onRetry={refetch} />}
      {!head && !error && <LedgerSkeleton />}
      {head && (
        <>
          <div className="grid grid-cols-[minmax(0,1fr)] gap-4 lg:grid-cols-2">
            <VerifyCard records={head.seq} />
            <HeadCard head={head} />
          </div>
          <RecheckCard />
          <WitnessSection />
          <RecordList from={head.seq} />
        </>
      )}
      <Explanations />
    </div>
  );
}

function Explanations() {
  return (
    <section aria-label="Ledger" className="border-t border-line pt-10">
      <dl className="grid gap-x-12 gap-y-8 sm:grid-cols-2">
        {Object.entries(explanations).map(([question, answer]) => (
          <div key={question}>
            <dt className="font-semibold">{question}</dt>
            <dd className="mt-2 leading-relaxed text-ink-muted text-pretty">{answer}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function LedgerSkeleton() {
  return (
    <div role="status" aria-label="Loading the ledger" className="flex flex-col gap-4">
      <div className="grid gap-4 lg:grid-cols-2">
        <Skeleton className="h-80 rounded-card" count={2} />
      </div>
      <Skeleton className="h-96 rounded-card" />
    </div>
  );
}

function HeadCard({ head }: { head: LedgerHead }) {
  return (
    <Card className="flex flex-col gap-5 p-5 sm:p-6">
      <div>
        <h2 className="text-lg font-semibold tracking-tight">Newest record</h2>
        <p className="figures mt-3 text-3xl font-semibold tracking-tight">
          {formatPlural(head.seq, "record")}
        </p>
        {head.at && (
          <p className="mt-1 text-sm text-ink-muted">Last updated {formatDateTime(head.at)}</p>
        )}
      </div>
      <div className="flex flex-col gap-2">
        <div className="flex items-center justify-between gap-3">
          <h3 className="text-sm font-medium">Fingerprint of the whole ledger</h3>
          <CopyButton text={`${head.seq}:${head.hash}`} name="fingerprint" />
        </div>
        <p className="rounded-control bg-canvas p-3 font-mono text-xs leading-relaxed break-all text-ink-muted">
          {head.seq}:{head.hash}
        </p>
        <p className="text-sm text-ink-faint text-pretty">
          It covers everything recorded so far. Keep a copy to show later that nothing before it has
          changed.
        </p>
      </div>
    </Card>
  );
}
