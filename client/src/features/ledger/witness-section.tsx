import { type HeadWitness, WITNESS_KINDS, type WitnessedHead } from "@shared/contract/ledger.ts";
import { CircleCheck, CircleDashed, Download } from "lucide-react";
import { formatCount } from "../../lib/format.ts";
import { Alert } from "../../ui/alert.tsx";
import { buttonClass, linkClass } from "../../ui/button.tsx";
import { Card, Skeleton } from "../../ui/card.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { NextPage } from "../../ui/load-states.tsx";
import { proofFilename, proofUrl, useHeads } from "./api.ts";
import { RowSummary } from "./record-list.tsx";

const witnessGuide = {
  opentimestamps: {
    title: "OpenTimestamps",
    proves:
      "The fingerprint existed when the Bitcoin block was mined, and cannot be backdated. While the ledger contains it, nothing before it has changed.",
    provesNot:
      "That the signals are correct, or that no other ledger was stamped as well. A proof that waits for Bitcoin depends on its calendar.",
  },
  git: {
    title: "Git repository",
    proves:
      "The repository had the fingerprint when its host received the push. Anyone with a copy of the repository can notice a changed line.",
    provesNot:
      "The date of a commit, which its author sets. Anyone who controls the repository can replace its history, but not other people's copies.",
  },
  webhook: {
    title: "Receiver",
    proves:
      "A service chosen by the operator confirmed that it received the fingerprint. Its copy can be compared with the ledger.",
    provesNot:
      "Anything to someone without access to that service, which the operator may run as well.",
  },
} as const;

export function WitnessSection() {
  const query = useHeads();
  const heads = query.data;
  const isWitnessed = heads?.some(({ witnesses }) => witnesses.length > 0);
  return (
    <section aria-labelledby="witnesses" className="flex flex-col gap-4">
      <div className="flex flex-col gap-1.5">
        <h2 id="witnesses" className="text-xl font-semibold tracking-tight">
          Witnesses
        </h2>
        {isWitnessed && (
          <p className="max-w-2xl text-ink-muted text-pretty">
            Each day, the fingerprint of the ledger is sent to witnesses outside this service. If
            the ledger is rewritten later, it no longer matches their copies.
          </p>
        )}
      </div>
      {heads && !isWitnessed && (
        <Alert tone="info">
          No witness has a fingerprint of this ledger, so only copies kept by others can show that
          it was rewritten.
        </Alert>
      )}
      {heads && isWitnessed && (
        <>
          <Guide heads={heads} />
          <Heads heads={heads} />
        </>
      )}
      {(isWitnessed || !heads || query.error) && (
        <NextPage
          query={query}
          failed="The ledger could not be loaded."
          skeleton={<Skeleton className="h-48 rounded-card" />}
        >
          Show earlier days
        </NextPage>
      )}
    </section>
  );
}

function Guide({ heads }: { heads: readonly WitnessedHead[] }) {
  const used = new Set(heads.flatMap(({ witnesses }) => witnesses.map(({ kind }) => kind)));
  return (
    <Card className="divide-y divide-line">
      {WITNESS_KINDS.filter((kind) => used.has(kind)).map((kind) => {
        const { title, proves, provesNot } = witnessGuide[kind];
        return (
          <div key={kind} className="grid gap-x-8 gap-y-3 p-5 sm:p-6 lg:grid-cols-[10rem_1fr_1fr]">
            <h3 className="font-semibold">{title}</h3>
            <Statement name="Proves">{proves}</Statement>
            <Statement name="Does not prove">{provesNot}</Statement>
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
      <h3 className="border-b border-line px-4 py-4 font-semibold sm:px-6">Daily fingerprints</h3>
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

function WitnessedHeadItem({ head, isOpen }: { head: WitnessedHead; isOpen: boolean }) {
  const { day, seq, hash, witnesses } = head;
  const fingerprint = `${seq}:${hash}`;
  const stamps = witnesses.filter(({ kind }) => kind === "opentimestamps");
  return (
    <details className="group" open={isOpen}>
      <RowSummary>
        <time dateTime={day} className="figures shrink-0 text-sm font-medium">
          {day}
        </time>
        <span className="figures shrink-0 text-sm text-ink-faint">#{seq}</span>
        <span className="flex w-full flex-wrap items-center gap-x-5 gap-y-1.5 pl-8 sm:w-auto sm:pl-0">
          {witnesses.length === 0 && <span className="text-sm text-ink-faint">No witness</span>}
          {badgesOf(witnesses).map((badge) => (
            <Badge key={badge.text} {...badge} />
          ))}
        </span>
      </RowSummary>
      <div className="flex flex-col gap-5 px-4 pt-2 pb-5 sm:px-6">
        <div className="flex flex-col gap-2">
          <Copyable text={fingerprint} name="fingerprint" />
          <p className="text-sm text-ink-faint text-pretty">
            Enter it in the offline verifier to check that the ledger of today still contains this
            record.
          </p>
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

/** All calendars of a day count as one witness: Bitcoin has the head, or will have it. */
function badgesOf(witnesses: readonly HeadWitness[]): BadgeLook[] {
  const stamps = witnesses.filter(({ kind }) => kind === "opentimestamps");
  const others = witnesses.filter(({ kind }) => kind !== "opentimestamps");
  const blocks = stamps.flatMap(({ bitcoin_block: block }) => block ?? []);
  const isPending = blocks.length === 0;
  const bitcoin = isPending
    ? "Waiting for Bitcoin"
    : `Bitcoin block ${formatCount(Math.min(...blocks))}`;
  return [
    ...(stamps.length > 0 ? [{ text: bitcoin, isPending }] : []),
    ...others.map(({ commit }) => ({
      text: commit ? `Commit ${commit.slice(0, 7)}` : "Delivered",
      isPending: false,
    })),
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
        <h4 className="text-sm font-medium">Verify the proof</h4>
        <a
          href={proofUrl(day)}
          download
          className={buttonClass({ variant: "secondary", size: "sm" })}
        >
          <Download aria-hidden className="size-4" />
          Download proof
          <span className="sr-only">{day}</span>
        </a>
      </div>
      <Copyable text="pip install opentimestamps-client" name="command" />
      <Copyable text={`ots verify -d ${hash} ${proofFilename(day)}`} name="command" />
      <p className="text-sm text-ink-faint text-pretty">
        {isPending ? (
          "A calendar has the fingerprint. Bitcoin usually follows within a day; until then the proof depends on the calendar."
        ) : (
          <>
            This needs a Bitcoin node. Without one, write{" "}
            <code className="whitespace-nowrap">ots --no-bitcoin verify</code> instead, and compare
            the Merkle root that it prints with any block explorer.
          </>
        )}
      </p>
    </div>
  );
}

function Repositories({ witnesses }: Pick<WitnessedHead, "witnesses">) {
  const urls = witnesses.flatMap(({ kind, url }) => (kind === "git" && url ? [url] : []));
  return urls.map((url) => (
    <a key={url} href={url} rel="noreferrer" className={`self-start text-sm ${linkClass}`}>
      Open the repository
    </a>
  ));
}
