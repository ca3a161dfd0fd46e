import { sha256Schema } from "@shared/contract/ledger.ts";
import {
  type KeptHead,
  type LedgerReport,
  verifyLedger,
} from "@shared/contract/ledger-verifier.ts";
import { useMutation } from "@tanstack/react-query";
import { Download, ShieldCheck } from "lucide-react";
import { useState } from "react";
import { z } from "zod";
import { formatCount, formatPlural } from "../../lib/format.ts";
import { Alert, ErrorAlert } from "../../ui/alert.tsx";
import { Button, buttonClass } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { DOWNLOAD_INTERRUPTED, downloadUrl, offlineVerifierUrl, useDownload } from "./api.ts";

export function VerifyCard({ records }: { records: number }) {
  const [lines, setLines] = useState(0);
  const download = useDownload();
  const verification = useMutation({
    mutationFn: async () => {
      setLines(0);
      const kept = readSavedHead(localStorage);
      const options = { kept: kept ? [kept] : [], onProgress: setLines };
      const report = await verifyLedger(await download(), options);
      if (report.fault === null && report.head.seq > 0) saveHead(localStorage, report.head);
      return { report, kept };
    },
  });
  const isWorking = verification.isPending;
  const label = verification.isIdle ? "Verify in this browser" : "Verify again";
  return (
    <Card className="flex flex-col gap-5 p-5 sm:p-6">
      <div>
        <h2 className="text-lg font-semibold tracking-tight">Verify it yourself</h2>
        <p className="mt-2 text-ink-muted text-pretty">
          Your browser downloads the ledger and recomputes every fingerprint.
        </p>
      </div>
      <div className="flex flex-col gap-3 sm:flex-row sm:flex-wrap">
        <Button Icon={ShieldCheck} busy={isWorking} onClick={() => verification.mutate()}>
          {isWorking ? "Verifying…" : label}
        </Button>
        <a href={downloadUrl} download className={buttonClass({ variant: "secondary" })}>
          <Download aria-hidden className="size-4" />
          Download ledger
        </a>
      </div>
      {isWorking && <Progress lines={lines} of={records} />}
      <ErrorAlert message={verification.isError && DOWNLOAD_INTERRUPTED} />
      {verification.data && <VerifyReport {...verification.data} />}
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

function VerifyReport({ report, kept }: { report: LedgerReport; kept: KeptHead | null }) {
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
        {totalsOf(report).map(({ name, value, hint }) => (
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

function totalsOf({ tally }: LedgerReport) {
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

const KEY = "ledger-head";

const keptHeadSchema = z.object({ seq: z.number().int().positive(), hash: sha256Schema });

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
