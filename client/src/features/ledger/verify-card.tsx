import { Download, ShieldCheck } from "lucide-react";
import { Button } from "../../ui/button.tsx";
import { buttonClass } from "../../ui/button-class.ts";
import { Card } from "../../ui/card.tsx";
import { Notice } from "../../ui/notice.tsx";
import { downloadUrl, offlineVerifierUrl } from "./ledger-api.ts";
import { verifyTexts as texts } from "./texts.ts";
import { useVerification } from "./use-verification.ts";
import { VerifyReport } from "./verify-report.tsx";

/** Verifies the ledger here and now, or gives what is needed to do it elsewhere. */
export function VerifyCard({ records }: { records: number }) {
  const { verification, start } = useVerification();
  const isWorking = verification.state === "working";
  const startText = verification.state === "idle" ? texts.start : texts.again;
  return (
    <Card className="flex flex-col gap-5 p-5 sm:p-6">
      <div>
        <h2 className="text-lg font-semibold tracking-tight">{texts.title}</h2>
        <p className="mt-2 text-ink-muted text-pretty">{texts.lead}</p>
      </div>
      <div className="flex flex-col gap-3 sm:flex-row sm:flex-wrap">
        <Button busy={isWorking} onClick={() => void start()}>
          {!isWorking && <ShieldCheck aria-hidden className="size-4" />}
          {isWorking ? texts.working : startText}
        </Button>
        <a href={downloadUrl} download className={buttonClass({ variant: "secondary" })}>
          <Download aria-hidden className="size-4" />
          {texts.download}
        </a>
      </div>
      {isWorking && <Progress lines={verification.lines} of={records} />}
      {verification.state === "failed" && (
        <Notice tone="error" role="alert">
          {texts.interrupted}
        </Notice>
      )}
      {verification.state === "done" && <VerifyReport {...verification} />}
      <p className="mt-auto border-t border-line pt-4 text-sm text-ink-faint text-pretty">
        <a
          href={offlineVerifierUrl}
          download
          className="rounded font-medium text-accent underline-offset-4 hover:underline"
        >
          {texts.tool}
        </a>
        . {texts.toolHint}
      </p>
    </Card>
  );
}

function Progress({ lines, of }: { lines: number; of: number }) {
  const percent = of === 0 ? 100 : Math.min(100, Math.round((lines / of) * 100));
  return (
    <div className="flex flex-col gap-2">
      <div
        role="progressbar"
        aria-label={texts.progress}
        aria-valuenow={percent}
        aria-valuemin={0}
        aria-valuemax={100}
        className="h-2 overflow-hidden rounded-full bg-raised"
      >
        <div className="h-full rounded-full bg-accent" style={{ width: `${percent}%` }} />
      </div>
      <p className="figures text-sm text-ink-muted">{texts.done(lines, of)}</p>
    </div>
  );
}
