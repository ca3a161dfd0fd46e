import type { LedgerHead } from "@shared/contract/ledger.ts";
import { Card, Skeleton } from "../../ui/card.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { PageHeading, usePageDescription } from "../../ui/page-heading.tsx";
import { useHead } from "./api.ts";
import { explanations, headMessages, ledgerMessages } from "./messages.ts";
import { RecheckCard } from "./recheck-card.tsx";
import { LoadError, RecordList } from "./record-list.tsx";
import { VerifyCard } from "./verify-card.tsx";
import { WitnessSection } from "./witness-section.tsx";

/** The public ledger: what it is, its newest records, and how to verify it. */
export function LedgerPage() {
  usePageDescription(ledgerMessages.description);
  const { data: head, error, refetch } = useHead();
  return (
    <div className="page flex flex-col gap-10 py-8 sm:py-12">
      <PageHeading title={ledgerMessages.title}>{ledgerMessages.lead}</PageHeading>
      {error && <LoadError onAgain={() => void refetch()} />}
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
    <section aria-label={ledgerMessages.title} className="border-t border-line pt-10">
      <dl className="grid gap-x-12 gap-y-8 sm:grid-cols-2">
        {explanations.map(({ question, answer }) => (
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
    <div role="status" aria-label={ledgerMessages.loading} className="flex flex-col gap-4">
      <div className="grid gap-4 lg:grid-cols-2">
        <Skeleton className="h-80 rounded-card" />
        <Skeleton className="h-80 rounded-card" />
      </div>
      <Skeleton className="h-96 rounded-card" />
    </div>
  );
}

/** How long the ledger is, and the fingerprint to keep. */
export function HeadCard({ head }: { head: LedgerHead }) {
  return (
    <Card className="flex flex-col gap-5 p-5 sm:p-6">
      <div>
        <h2 className="text-lg font-semibold tracking-tight">{headMessages.title}</h2>
        <p className="figures mt-3 text-3xl font-semibold tracking-tight">
          {headMessages.records(head.seq)}
        </p>
        {head.at && (
          <p className="mt-1 text-sm text-ink-muted">{headMessages.recordedAt(head.at)}</p>
        )}
      </div>
      <div className="flex flex-col gap-2">
        <div className="flex items-center justify-between gap-3">
          <h3 className="text-sm font-medium">{headMessages.fingerprint}</h3>
          <CopyButton text={`${head.seq}:${head.hash}`} name={headMessages.copy} />
        </div>
        <p className="rounded-control bg-canvas p-3 font-mono text-xs leading-relaxed break-all text-ink-muted">
          {head.seq}:{head.hash}
        </p>
        <p className="text-sm text-ink-faint text-pretty">{headMessages.why}</p>
      </div>
    </Card>
  );
}
