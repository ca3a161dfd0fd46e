import { WITNESS_KINDS, type WitnessedHead } from "@shared/contract/ledger-heads.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { LoadError } from "./load-error.tsx";
import { ledgerTexts, witnessTexts as texts, witnessGuide } from "./texts.ts";
import { useHeads } from "./use-records.ts";
import { WitnessedHeadItem } from "./witnessed-head-item.tsx";

/** Who else has the ledger's heads, what that proves, and the proofs. */
export function WitnessSection() {
  const { heads, error, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = useHeads();
  const isWitnessed = heads?.some(({ witnesses }) => witnesses.length > 0);
  return (
    <section aria-labelledby="witnesses" className="flex flex-col gap-4">
      <div className="flex flex-col gap-1.5">
        <h2 id="witnesses" className="text-xl font-semibold tracking-tight">
          {texts.title}
        </h2>
        {isWitnessed && <p className="max-w-2xl text-ink-muted text-pretty">{texts.lead}</p>}
      </div>
      {heads && !isWitnessed && <Notice tone="info">{texts.none}</Notice>}
      {heads && isWitnessed && (
        <>
          <Guide heads={heads} />
          <Heads heads={heads} />
        </>
      )}
      {!heads && !error && (
        <div role="status" aria-label={ledgerTexts.loading}>
          <Skeleton className="h-48 rounded-card" />
        </div>
      )}
      {error && <LoadError onAgain={() => void (heads ? fetchNextPage() : refetch())} />}
      {isWitnessed && hasNextPage && !error && (
        <Button
          variant="secondary"
          busy={isFetchingNextPage}
          onClick={() => void fetchNextPage()}
          className="self-center"
        >
          {texts.earlier}
        </Button>
      )}
    </section>
  );
}

/** What the witnesses of these heads prove, each kind once. */
function Guide({ heads }: { heads: readonly WitnessedHead[] }) {
  const used = new Set(heads.flatMap(({ witnesses }) => witnesses.map(({ kind }) => kind)));
  return (
    <Card className="divide-y divide-line">
      {WITNESS_KINDS.filter((kind) => used.has(kind)).map((kind) => {
        const { title, proves, provesNot } = witnessGuide[kind];
        return (
          <div key={kind} className="grid gap-x-8 gap-y-3 p-5 sm:p-6 lg:grid-cols-[10rem_1fr_1fr]">
            <h3 className="font-semibold">{title}</h3>
            <Statement name={texts.proves}>{proves}</Statement>
            <Statement name={texts.provesNot}>{provesNot}</Statement>
          </div>
        );
      })}
    </Card>
  );
}

function Statement({ name, children }: { name: string; children: string }) {
  return (
    <div>
      <p className="text-sm text-ink-faint">{name}</p>
      <p className="mt-1 text-sm leading-relaxed text-ink-muted text-pretty">{children}</p>
    </div>
  );
}

function Heads({ heads }: { heads: readonly WitnessedHead[] }) {
  return (
    <Card className="overflow-hidden">
      <h3 className="border-b border-line px-4 py-4 font-semibold sm:px-6">{texts.heads}</h3>
      <ol className="divide-y divide-line">
        {heads.map((head, index) => (
          <li key={head.day}>
            <WitnessedHeadItem head={head} isOpen={index === 0} />
          </li>
        ))}
      </ol>
    </Card>
  );
}
