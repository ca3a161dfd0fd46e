import { Progress } from "@base-ui/react/progress";
import { sha256Schema } from "@shared/contract/ledger.ts";
import {
  type KeptHead,
  type LedgerBytes,
  type LedgerReport,
  verifyLedger,
} from "@shared/contract/ledger-verifier.ts";
import {
  type CandleFile,
  candleFilesSource,
  parseCandleCsv,
  parseCandleFileName,
  type Recheck,
  type RecordedOutcome,
  resolveAgain,
} from "@shared/outcomes/resolve-again.ts";
import { useMutation } from "@tanstack/react-query";
import { Download, FileUp, ShieldCheck } from "lucide-react";
import { useRef, useState } from "react";
import { z } from "zod";
import { apiOrigin } from "../../lib/env.ts";
import { formatCount, formatPlural } from "../../lib/format.ts";
import { useLeaveSignal } from "../../lib/use-leave-signal.ts";
import { Alert, ErrorAlert } from "../../ui/alert.tsx";
import { Button, buttonClass, linkClass } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";

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
      {isWorking && <VerifyProgress lines={lines} of={records} />}
      <ErrorAlert message={verification.isError && DOWNLOAD_INTERRUPTED} />
      {verification.data && <VerifyReport {...verification.data} />}
      <p className="mt-auto border-t border-line pt-4 text-sm text-ink-faint text-pretty">
        <a href="/verify-ledger.html" download className={linkClass}>
          Save the offline verifier
        </a>
        . A single page that works offline. Open it from your disk and choose the downloaded file.
      </p>
    </Card>
  );
}

function VerifyProgress({ lines, of }: { lines: number; of: number }) {
  const percent = of === 0 ? 100 : Math.min(100, Math.round((lines / of) * 100));
  return (
    <div className="flex flex-col gap-2">
      <Progress.Root value={percent} aria-label="Verified so far">
        <Progress.Track className="h-2 overflow-hidden rounded-full bg-raised">
          <Progress.Indicator className="h-full rounded-full bg-accent" />
        </Progress.Track>
      </Progress.Root>
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

const SAVED_HEAD_KEY = "ledger-head";

const keptHeadSchema = z.object({ seq: z.number().int().positive(), hash: sha256Schema });

export function readSavedHead(storage: Pick<Storage, "getItem">): KeptHead | null {
  try {
    return (
      keptHeadSchema.safeParse(JSON.parse(storage.getItem(SAVED_HEAD_KEY) ?? "null")).data ?? null
    );
  } catch {
    return null;
  }
}

/** Returns false if storage is not available. */
export function saveHead(storage: Pick<Storage, "setItem">, { seq, hash }: KeptHead): boolean {
  try {
    storage.setItem(SAVED_HEAD_KEY, JSON.stringify({ seq, hash }));
    return true;
  } catch {
    return false;
  }
}

export function RecheckCard() {
  const download = useDownload();
  const recheck = useMutation({
    mutationFn: async (files: File[]) => {
      const candleFiles: CandleFile[] = [];
      for (const file of files) {
        const candleFile = await readCandleFile(file);
        if (!candleFile) return { unreadable: file.name };
        candleFiles.push(candleFile);
      }
      return recheckLedger(candleFiles, await download());
    },
  });
  const input = useRef<HTMLInputElement>(null);
  return (
    <Card className="flex flex-col gap-5 p-5 sm:p-6">
      <div>
        <h2 className="text-lg font-semibold tracking-tight">Resolve the outcomes again</h2>
        <p className="mt-2 max-w-prose text-ink-muted text-pretty">
          Use candles from your own source. Your browser resolves every recorded trade that they
          cover by its levels and the published rules, and lists every outcome that differs.
        </p>
      </div>
      <div>
        <input
          ref={input}
          type="file"
          accept=".csv,text/csv"
          multiple
          hidden
          aria-label="Candle files"
          onChange={({ currentTarget }) => {
            const files = [...(currentTarget.files ?? [])];
            currentTarget.value = "";
            if (files.length > 0) recheck.mutate(files);
          }}
        />
        <Button
          Icon={FileUp}
          variant="secondary"
          busy={recheck.isPending}
          onClick={() => input.current?.click()}
        >
          {recheck.isPending ? "Resolving…" : "Choose candle files"}
        </Button>
        <p className="mt-3 text-sm text-ink-faint text-pretty">
          CSV files named like BTC-USDT.1h.csv, with the columns time (Unix ms), open, high, low,
          close, volume. Add files of shorter timeframes, such as BTC-USDT.1m.csv, for trades that
          need them. The files stay in your browser.
        </p>
      </div>
      <ErrorAlert message={recheck.isError && DOWNLOAD_INTERRUPTED} />
      {recheck.data && <RecheckResult result={recheck.data} />}
    </Card>
  );
}

type RecheckReport = Awaited<ReturnType<typeof recheckLedger>>;

function RecheckResult({ result }: { result: RecheckReport | { unreadable: string } }) {
  if ("unreadable" in result) {
    return (
      <ErrorAlert
        message={`${result.unreadable} can't be used. Name it like BTC-USDT.1h.csv, and use the columns listed above.`}
      />
    );
  }
  if (result.fault) {
    return (
      <ErrorAlert message="The ledger is not intact. Verify it first to see which record is wrong." />
    );
  }
  return <RecheckedOutcomes outcomes={result.outcomes} />;
}

function RecheckedOutcomes({ outcomes }: { outcomes: readonly RecheckedOutcome[] }) {
  const countOf = (result: RecheckedOutcome["recheck"]["result"]) =>
    outcomes.filter(({ recheck }) => recheck.result === result).length;
  const agreeing = countOf("agrees");
  const differing = countOf("differs");
  const unchecked = `Not checked: ${formatCount(countOf("no-candles"))} without candles, ${formatCount(countOf("needs-finer-candles"))} that need candles of a shorter timeframe.`;
  if (agreeing + differing === 0) {
    return (
      <Alert tone="info" role="status">
        These candles cover none of the resolved trades. {unchecked}
      </Alert>
    );
  }
  return (
    <div className="flex animate-enter flex-col gap-4">
      <Alert
        tone={differing === 0 ? "success" : "error"}
        role={differing === 0 ? "status" : "alert"}
        title={
          differing === 0
            ? `${formatPlural(agreeing, "outcome")} checked, no difference`
            : `${formatCount(differing)} of ${formatCount(agreeing + differing)} checked outcomes differ`
        }
      >
        {unchecked}
      </Alert>
      {differing > 0 && (
        <ul className="flex flex-col gap-2">
          {outcomes.map((outcome) => (
            <Difference key={outcome.seq} outcome={outcome} />
          ))}
        </ul>
      )}
    </div>
  );
}

function Difference({ outcome }: { outcome: RecheckedOutcome }) {
  const { seq, figures, recheck } = outcome;
  if (recheck.result !== "differs") return null;
  return (
    <li className="rounded-control border border-line p-3 text-sm">
      <p className="figures font-medium">
        Record {formatCount(seq)}: {figures.symbol} {figures.timeframe}
      </p>
      {recheck.fields.map((field) => (
        <p key={field.name} className="figures break-words text-ink-muted">
          {field.name}: recorded {field.recorded}, resolved again {field.resolved}
        </p>
      ))}
    </li>
  );
}

type RecheckedOutcome = RecordedOutcome & { recheck: Recheck };

async function readCandleFile(file: File): Promise<CandleFile | null> {
  const market = parseCandleFileName(file.name);
  if (!market) return null;
  try {
    return { ...market, candles: parseCandleCsv(await file.text()) };
  } catch {
    return null;
  }
}

async function recheckLedger(files: readonly CandleFile[], ledger: LedgerBytes) {
  const recorded: RecordedOutcome[] = [];
  const { fault } = await verifyLedger(ledger, {
    onOutcome: (outcome) => recorded.push(outcome),
  });
  const source = candleFilesSource(files);
  const outcomes: RecheckedOutcome[] = [];
  for (const outcome of recorded) {
    outcomes.push({ ...outcome, recheck: await resolveAgain(outcome, source) });
  }
  return { fault, outcomes };
}

const downloadUrl = `${apiOrigin}/ledger/download`;

const DOWNLOAD_INTERRUPTED = "The download was interrupted. Please try again.";

/** Returns a function that downloads the ledger. Leaving the page cancels the download. */
function useDownload(): () => Promise<LedgerBytes> {
  const leaveSignal = useLeaveSignal();
  return async () => {
    const response = await fetch(downloadUrl, { signal: leaveSignal() });
    if (!response.ok || !response.body) throw new Error(`The server returned ${response.status}.`);
    return response.body;
  };
}
