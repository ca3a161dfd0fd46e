import { sha256Schema } from "@shared/contract/ledger.ts";
import {
  type KeptHead,
  type LedgerReport,
  verifyLedger,
} from "@shared/contract/ledger-verifier.ts";
import { Download, ShieldCheck } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { z } from "zod";
import { formatCount, formatPlural } from "../../lib/format.ts";
import { Alert } from "../../ui/alert.tsx";
import { Button, buttonClass } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { downloadUrl, offlineVerifierUrl, openDownload } from "./api.ts";

export function VerifyCard({ records }: { records: number }) {
  const { verification, start } = useVerification();
  const isWorking = verification.state === "working";
  const startText = verification.state === "idle" ? "Verify in this browser" : "Verify again";
  return (
    <Card className="flex flex-col gap-5 p-5 sm:p-6">
      <div>
        <h2 className="text-lg font-semibold tracking-tight">Verify it yourself</h2>
        <p className="mt-2 text-ink-muted text-pretty">
          Your browser downloads the ledger and recomputes every fingerprint.
        </p>
      </div>
      <div className="flex flex-col gap-3 sm:flex-row sm:flex-wrap">
        <Button busy={isWorking} onClick={() => void start()}>
          {!isWorking && <ShieldCheck aria-hidden className="size-4" />}
          {isWorking ? "Verifying…" : startText}
        </Button>
        <a href={downloadUrl} download className={buttonClass({ variant: "secondary" })}>
          <Download aria-hidden className="size-4" />
          Download ledger
        </a>
      </div>
      {isWorking && <Progress lines={verification.lines} of={records} />}
      {verification.state === "failed" && (
        <Alert tone="error" role="alert">
          The download was interrupted. Please try again.
        </Alert>
      )}
      {verification.state === "done" && <VerifyReport {...verification} />}
      <p className="mt-auto border-t border-line pt-4 text-sm text-ink-faint text-pretty">
        <a
          href={offlineVerifierUrl}
          download
          className="rounded font-medium text-accent underline-offset-4 hover:underline"
        >
          Save the offline verifier
        </a>
        . A single page that works offline. Open it from your disk and choose the downloaded file.
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
        aria-label="Verified so far"
        aria-valuenow={percent}
        aria-valuemin={0}
        aria-valuemax={100}
        className="h-2 overflow-hidden rounded-full bg-raised"
      >
        <div className="h-full rounded-full bg-accent" style={{ width: `${percent}%` }} />
      </div>
      <p className="figures text-sm text-ink-muted">
        {formatCount(Math.min(lines, of))} of {formatPlural(of, "record")}
      </p>
    </div>
  );
}

interface VerifyReportProps {
  report: LedgerReport;
  kept: KeptHead | null;
}

function VerifyReport({ report, kept }: VerifyReportProps) {
  const { fault, head } = report;
  if (fault) {
    return (
      <Alert tone="error" role="alert" title={`Not intact: record ${formatCount(fault.seq)}`}>
        {fault.line === null
          ? `${fault.detail}.`
          : `Line ${formatCount(fault.line)}: ${fault.detail}.`}
      </Alert>
    );
  }
  return (
    <div className="flex animate-enter flex-col gap-4">
      <Alert tone="success" role="status" title={`Intact: ${formatPlural(head.seq, "record")}`}>
        Every record is unchanged and in order.{" "}
        {kept &&
          `It extends the ${formatPlural(kept.seq, "record")} that this browser verified before.`}
      </Alert>
      <dl className="grid grid-cols-1 gap-x-6 gap-y-4 min-[24rem]:grid-cols-2">
        {figuresOf(report).map(({ name, value, hint }) => (
          <div key={name}>
            <dt className="text-sm text-ink-muted">{name}</dt>
            <dd className="figures mt-0.5">
              <span className="text-xl font-semibold tracking-tight">{value}</span>
              <span className="block text-sm text-ink-faint">{hint}</span>
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

function figuresOf({ tally }: LedgerReport) {
  const { analyses, outcomes, late } = tally;
  const { WIN, LOSS, EXPIRED } = outcomes;
  return [
    {
      name: "Analyses recorded",
      value: analyses.live + analyses.replay + analyses.none,
      hint: `${formatCount(analyses.replay)} on demo data`,
    },
    {
      name: "Resolved",
      value: WIN + LOSS + EXPIRED,
      hint: `${formatCount(WIN)} won, ${formatCount(LOSS)} lost, ${formatCount(EXPIRED)} expired`,
    },
    { name: "Recorded late", value: late, hint: "by more than a minute" },
  ];
}

type Verification =
  | { state: "idle" }
  | { state: "working"; lines: number }
  | { state: "done"; report: LedgerReport; kept: KeptHead | null }
  | { state: "failed" };

function useVerification(): { verification: Verification; start: () => Promise<void> } {
  const [verification, setVerification] = useState<Verification>({ state: "idle" });
  const leaving = useRef(new AbortController());
  useEffect(() => {
    const controller = new AbortController();
    leaving.current = controller;
    return () => controller.abort();
  }, []);
  const start = async () => {
    const { signal } = leaving.current;
    const kept = readSavedHead(localStorage);
    const onProgress = (lines: number) => {
      if (!signal.aborted) setVerification({ state: "working", lines });
    };
    onProgress(0);
    try {
      const report = await verifyLedger(await openDownload(signal), {
        kept: kept ? [kept] : [],
        onProgress,
      });
      if (report.fault === null && report.head.seq > 0) saveHead(localStorage, report.head);
      setVerification({ state: "done", report, kept });
    } catch {
      // Leaving the page is not a failure.
      if (!signal.aborted) setVerification({ state: "failed" });
    }
  };
  return { verification, start };
}

const KEY = "ledger-head";

const keptHeadSchema = z.object({ seq: z.number().int().positive(), hash: sha256Schema });

/** Returns the head that this browser verified last, or null. */
export function readSavedHead(storage: Pick<Storage, "getItem">): KeptHead | null {
  try {
    return keptHeadSchema.safeParse(JSON.parse(storage.getItem(KEY) ?? "null")).data ?? null;
  } catch {
    return null;
  }
}

/** Returns false if storage is not available. */
export function saveHead(storage: Pick<Storage, "setItem">, { seq, hash }: KeptHead): boolean {
  try {
    storage.setItem(KEY, JSON.stringify({ seq, hash }));
    return true;
  } catch {
    return false;
  }
}
