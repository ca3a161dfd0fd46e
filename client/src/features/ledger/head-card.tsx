import type { LedgerHead } from "@shared/contract/ledger.ts";
import { Card } from "../../ui/card.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { headTexts as texts } from "./texts.ts";

/** How long the ledger is, and the fingerprint to keep. */
export function HeadCard({ head }: { head: LedgerHead }) {
  return (
    <Card className="flex flex-col gap-5 p-5 sm:p-6">
      <div>
        <h2 className="text-lg font-semibold tracking-tight">{texts.title}</h2>
        <p className="figures mt-3 text-3xl font-semibold tracking-tight">
          {texts.records(head.seq)}
        </p>
        {head.at && <p className="mt-1 text-sm text-ink-muted">{texts.recordedAt(head.at)}</p>}
      </div>
      <div className="flex flex-col gap-2">
        <div className="flex items-center justify-between gap-3">
          <h3 className="text-sm font-medium">{texts.fingerprint}</h3>
          <CopyButton text={`${head.seq}:${head.hash}`} name={texts.copy} />
        </div>
        <p className="rounded-control bg-canvas p-3 font-mono text-xs leading-relaxed break-all text-ink-muted">
          {head.seq}:{head.hash}
        </p>
        <p className="text-sm text-ink-faint text-pretty">{texts.why}</p>
      </div>
    </Card>
  );
}
