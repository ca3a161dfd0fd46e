import type { PaymentProof as Proof } from "@shared/contract/account.ts";
import { Hourglass } from "lucide-react";
import { useEffect, useState } from "react";
import { onLiveEvent } from "../../lib/live/live-listeners.ts";
import { useLive } from "../../lib/live/live-store.ts";
import { refreshProof } from "../../lib/refresh-proof.ts";
import { Button } from "../../ui/button.tsx";
import { LocalTime } from "../../ui/local-time.tsx";
import { Notice } from "../../ui/notice.tsx";
import { PictureDialog } from "../../ui/picture-dialog.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { ProofForm } from "./proof-form.tsx";
import { proofTexts as texts } from "./texts.ts";

/** What has become of the proof since the page was opened. */
type Happened = "sent" | "removed" | null;

/** The proof that was sent, or the form to send one; follows what administrators do with it. */
export function PaymentProof() {
  const account = useLive((live) => live.account);
  const [happened, setHappened] = useState<Happened>(null);
  const [replacing, setReplacing] = useState(false);
  useEffect(
    () => onLiveEvent((event) => event.name === "proof:deleted" && setHappened("removed")),
    [],
  );
  const sent = () => {
    setHappened("sent");
    setReplacing(false);
  };
  const proof = account?.payment_proof ?? null;
  return (
    <section aria-labelledby="proof-title" className="flex flex-col gap-5">
      <header>
        <h3 id="proof-title" className="text-lg font-semibold tracking-tight">
          {texts.title}
        </h3>
        {!proof && <p className="mt-1 text-ink-muted text-pretty">{texts.lead}</p>}
      </header>
      <div role="status" className="empty:hidden">
        {happened === "sent" && <Notice tone="success">{texts.submitted}</Notice>}
        {happened === "removed" && !proof && (
          <Notice tone="warning" title={texts.removedTitle}>
            {texts.removed}
          </Notice>
        )}
      </div>
      {!account && <Skeleton className="h-56 rounded-control" />}
      {proof && <SentProof proof={proof} replacing={replacing} onReplace={setReplacing} />}
      {account && (!proof || replacing) && <ProofForm onSent={sent} />}
    </section>
  );
}

interface SentProofProps {
  proof: Proof;
  replacing: boolean;
  onReplace(replacing: boolean): void;
}

function SentProof({ proof, replacing, onReplace }: SentProofProps) {
  return (
    <div className="flex flex-wrap items-center gap-x-5 gap-y-4 rounded-control border border-line bg-canvas p-4">
      <PictureDialog
        src={proof.url}
        title={texts.pictureOf(proof.sender_name)}
        onExpired={() => void refreshProof().catch(() => null)}
        className="size-24"
      />
      <div className="flex min-w-48 flex-1 flex-col gap-1 text-sm">
        <p className="flex items-center gap-2 font-medium text-wait">
          <Hourglass aria-hidden className="size-4" />
          {texts.sentTitle}
        </p>
        <p className="break-words">
          <span className="text-ink-faint">{texts.sentBy}</span> {proof.sender_name}
        </p>
        <p className="figures">
          <span className="text-ink-faint">{texts.sentAt}</span>{" "}
          <LocalTime iso={proof.submitted_at} />
        </p>
      </div>
      <Button variant="secondary" size="sm" onClick={() => onReplace(!replacing)}>
        {replacing ? texts.keep : texts.replace}
      </Button>
    </div>
  );
}
