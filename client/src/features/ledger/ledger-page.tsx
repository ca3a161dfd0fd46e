import { PageHeading } from "../../ui/page-heading.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { usePageDescription } from "../../ui/use-page-description.ts";
import { HeadCard } from "./head-card.tsx";
import { LoadError } from "./load-error.tsx";
import { RecheckCard } from "./recheck-card.tsx";
import { RecordList } from "./record-list.tsx";
import { explanations, ledgerTexts as texts } from "./texts.ts";
import { useHead } from "./use-records.ts";
import { VerifyCard } from "./verify-card.tsx";
import { WitnessSection } from "./witness-section.tsx";

/** The public ledger: what it is, its newest records, and how to verify it. */
export function LedgerPage() {
  usePageDescription(texts.description);
  const { data: head, error, refetch } = useHead();
  return (
    <div className="page flex flex-col gap-10 py-8 sm:py-12">
      <PageHeading title={texts.title}>{texts.lead}</PageHeading>
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
    <section aria-label={texts.title} className="border-t border-line pt-10">
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
    <div role="status" aria-label={texts.loading} className="flex flex-col gap-4">
      <div className="grid gap-4 lg:grid-cols-2">
        <Skeleton className="h-80 rounded-card" />
        <Skeleton className="h-80 rounded-card" />
      </div>
      <Skeleton className="h-96 rounded-card" />
    </div>
  );
}
