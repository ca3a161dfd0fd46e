import { type LedgerBytes, verifyLedger } from "@shared/contract/ledger-verifier.ts";
import {
  type CandleFile,
  candleFilesSource,
  parseCandleCsv,
  parseCandleFileName,
} from "@shared/outcomes/candle-files.ts";
import {
  type Recheck,
  type RecordedOutcome,
  resolveAgain,
} from "@shared/outcomes/resolve-again.ts";
import { useMutation } from "@tanstack/react-query";
import { FileUp } from "lucide-react";
import { useRef } from "react";
import { formatCount, formatPlural } from "../../lib/format.ts";
import { Alert, ErrorAlert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { DOWNLOAD_INTERRUPTED, useDownload } from "./api.ts";

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
  const [agreeing, differing] = [countOf("agrees"), countOf("differs")];
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
