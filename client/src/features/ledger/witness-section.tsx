import { type HeadWitness, WITNESS_KINDS, type WitnessedHead } from "@shared/contract/ledger.ts";
import { ChevronRight, CircleCheck, CircleDashed, Download } from "lucide-react";
import { Alert } from "../../ui/alert.tsx";
import { Button, buttonClass } from "../../ui/button.tsx";
import { Card, Skeleton } from "../../ui/card.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { proofFilename, proofUrl, useHeads } from "./api.ts";
import { ledgerMessages, witnessMessages as texts, witnessGuide } from "./messages.ts";
import { LoadError } from "./record-list.tsx";

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
      {heads && !isWitnessed && <Alert tone="info">{texts.none}</Alert>}
      {heads && isWitnessed && (
        <>
          <Guide heads={heads} />
          <Heads heads={heads} />
        </>
      )}
      {!heads && !error && (
        <div role="status" aria-label={ledgerMessages.loading}>
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

/** One day's head: who has it in a line, and how to verify that on demand. */
function WitnessedHeadItem({ head, isOpen }: { head: WitnessedHead; isOpen: boolean }) {
  const { day, seq, hash, witnesses } = head;
  const fingerprint = `${seq}:${hash}`;
  const stamps = witnesses.filter(({ kind }) => kind === "opentimestamps");
  return (
    <details className="group" open={isOpen}>
      <summary className="flex cursor-pointer list-none flex-wrap items-center gap-x-4 gap-y-2 px-4 py-4 transition-colors hover:bg-raised sm:px-6 [&::-webkit-details-marker]:hidden">
        <ChevronRight
          aria-hidden
          className="size-4 shrink-0 text-ink-faint transition-transform group-open:rotate-90"
        />
        <time dateTime={day} className="figures shrink-0 text-sm font-medium">
          {day}
        </time>
        <span className="figures shrink-0 text-sm text-ink-faint">#{seq}</span>
        <span className="flex w-full flex-wrap items-center gap-x-5 gap-y-1.5 pl-8 sm:w-auto sm:pl-0">
          {witnesses.length === 0 && (
            <span className="text-sm text-ink-faint">{texts.unwitnessed}</span>
          )}
          {badgesOf(witnesses).map((badge) => (
            <Badge key={badge.text} {...badge} />
          ))}
        </span>
      </summary>
      <div className="flex flex-col gap-5 px-4 pt-2 pb-5 sm:px-6">
        <div className="flex flex-col gap-2">
          <Copyable text={fingerprint} name={texts.fingerprint} />
          <p className="text-sm text-ink-faint text-pretty">{texts.compare}</p>
        </div>
        {stamps.length > 0 && <Proof day={day} hash={hash} stamps={stamps} />}
        <Repositories witnesses={witnesses} />
      </div>
    </details>
  );
}

interface BadgeLook {
  text: string;
  isPending: boolean;
}

/** The calendars of one day are one witness to the reader: Bitcoin has the head, or will. */
function badgesOf(witnesses: readonly HeadWitness[]): BadgeLook[] {
  const stamps = witnesses.filter(({ kind }) => kind === "opentimestamps");
  const blocks = stamps.flatMap(({ bitcoin_block: block }) => block ?? []);
  const others = witnesses.flatMap(({ kind, commit }) =>
    kind === "opentimestamps" ? [] : [commit ? texts.commit(commit) : texts.delivered],
  );
  return [
    ...(blocks.length > 0 ? [{ text: texts.bitcoin(Math.min(...blocks)), isPending: false }] : []),
    ...(stamps.length > 0 && blocks.length === 0 ? [{ text: texts.pending, isPending: true }] : []),
    ...others.map((text) => ({ text, isPending: false })),
  ];
}

function Badge({ text, isPending }: BadgeLook) {
  const Icon = isPending ? CircleDashed : CircleCheck;
  return (
    <span className="inline-flex items-center gap-1.5 text-sm text-ink-muted">
      <Icon aria-hidden className={`size-4 ${isPending ? "text-ink-faint" : "text-buy"}`} />
      {text}
    </span>
  );
}

function Copyable({ text, name }: { text: string; name: string }) {
  return (
    <div className="flex items-center justify-between gap-3 rounded-control bg-canvas p-3">
      <code className="min-w-0 font-mono text-xs leading-relaxed wrap-anywhere text-ink-muted">
        {text}
      </code>
      <span className="shrink-0">
        <CopyButton text={text} name={name} />
      </span>
    </div>
  );
}

function Proof({
  day,
  hash,
  stamps,
}: Pick<WitnessedHead, "day" | "hash"> & { stamps: readonly HeadWitness[] }) {
  const isPending = stamps.every(({ status }) => status === "pending");
  return (
    <div className="flex flex-col gap-2">
      <div className="mb-1 flex flex-wrap items-center justify-between gap-3">
        <h4 className="text-sm font-medium">{texts.verifyTitle}</h4>
        <a
          href={proofUrl(day)}
          download
          className={buttonClass({ variant: "secondary", size: "sm" })}
        >
          <Download aria-hidden className="size-4" />
          {texts.download}
          <span className="sr-only">{day}</span>
        </a>
      </div>
      <Copyable text={texts.install} name={texts.command} />
      <Copyable text={texts.verify(hash, proofFilename(day))} name={texts.command} />
      <p className="text-sm text-ink-faint text-pretty">
        {isPending ? (
          texts.pendingHint
        ) : (
          <>
            {texts.needsNode} <code className="whitespace-nowrap">{texts.withoutNode}</code>{" "}
            {texts.compareRoot}
          </>
        )}
      </p>
    </div>
  );
}

function Repositories({ witnesses }: Pick<WitnessedHead, "witnesses">) {
  const urls = witnesses.flatMap(({ kind, url }) => (kind === "git" && url ? [url] : []));
  return urls.map((url) => (
    <a
      key={url}
      href={url}
      rel="noreferrer"
      className="self-start rounded text-sm font-medium text-accent underline-offset-4 hover:underline"
    >
      {texts.repository}
    </a>
  ));
}
