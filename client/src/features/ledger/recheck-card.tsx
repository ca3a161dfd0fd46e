import { type LedgerReport, verifyLedger } from "@shared/contract/ledger-verifier.ts";
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
import { FileUp } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { Alert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { openDownload } from "./api.ts";
import { recheckMessages as texts } from "./messages.ts";

/** Resolves the recorded outcomes again, by candles that the reader brings. */
export function RecheckCard() {
  const { recheck, start } = useRecheck();
  const input = useRef<HTMLInputElement>(null);
  const isWorking = recheck.state === "working";
  return (
    <Card className="flex flex-col gap-5 p-5 sm:p-6">
      <div>
        <h2 className="text-lg font-semibold tracking-tight">{texts.title}</h2>
        <p className="mt-2 max-w-prose text-ink-muted text-pretty">{texts.lead}</p>
      </div>
      <div>
        <input
          ref={input}
          type="file"
          accept=".csv,text/csv"
          multiple
          hidden
          aria-label={texts.files}
          onChange={({ currentTarget }) => {
            const files = [...(currentTarget.files ?? [])];
            currentTarget.value = "";
            if (files.length > 0) void start(files);
          }}
        />
        <Button variant="secondary" busy={isWorking} onClick={() => input.current?.click()}>
          {!isWorking && <FileUp aria-hidden className="size-4" />}
          {isWorking ? texts.working : texts.choose}
        </Button>
        <p className="mt-3 text-sm text-ink-faint text-pretty">{texts.format}</p>
      </div>
      <RecheckResult recheck={recheck} />
    </Card>
  );
}

function RecheckResult({ recheck }: { recheck: RecheckState }) {
  switch (recheck.state) {
    case "idle":
    case "working":
      return null;
    case "failed":
      return <Problem>{texts.interrupted}</Problem>;
    case "unreadable":
      return <Problem>{texts.unreadable(recheck.fileName)}</Problem>;
    case "done":
      return recheck.fault ? (
        <Problem>{texts.notIntact}</Problem>
      ) : (
        <RecheckedOutcomes outcomes={recheck.outcomes} />
      );
  }
}

function Problem({ children }: { children: string }) {
  return (
    <Alert tone="error" role="alert">
      {children}
    </Alert>
  );
}

function RecheckedOutcomes({ outcomes }: { outcomes: readonly RecheckedOutcome[] }) {
  const countOf = (result: RecheckedOutcome["recheck"]["result"]) =>
    outcomes.filter(({ recheck }) => recheck.result === result).length;
  const [agreeing, differing] = [countOf("agrees"), countOf("differs")];
  const unchecked = {
    withoutCandles: countOf("no-candles"),
    withoutParts: countOf("needs-finer-candles"),
  };
  if (agreeing + differing === 0) {
    return (
      <Alert tone="info" role="status">
        {texts.nothingChecked} {texts.unchecked(unchecked)}
      </Alert>
    );
  }
  return (
    <div className="flex animate-enter flex-col gap-4">
      <Alert
        tone={differing === 0 ? "success" : "error"}
        role={differing === 0 ? "status" : "alert"}
        title={texts.result(agreeing, differing)}
      >
        {texts.unchecked(unchecked)}
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
      <p className="figures font-medium">{texts.record(seq, figures)}</p>
      {recheck.fields.map((field) => (
        <p key={field.name} className="figures break-words text-ink-muted">
          {texts.field(field)}
        </p>
      ))}
    </li>
  );
}

/** An outcome that was resolved again, and the result. */
type RecheckedOutcome = RecordedOutcome & { recheck: Recheck };

type RecheckState =
  | { state: "idle" | "working" | "failed" }
  | { state: "unreadable"; fileName: string }
  | { state: "done"; fault: LedgerReport["fault"]; outcomes: readonly RecheckedOutcome[] };

/** Resolves the outcomes of the ledger again in this browser, by the candles of files. */
function useRecheck(): {
  recheck: RecheckState;
  start: (files: readonly File[]) => Promise<void>;
} {
  const [recheck, setRecheck] = useState<RecheckState>({ state: "idle" });
  const leaving = useRef(new AbortController());
  useEffect(() => {
    const controller = new AbortController();
    leaving.current = controller;
    return () => controller.abort();
  }, []);
  const start = async (files: readonly File[]) => {
    const { signal } = leaving.current;
    setRecheck({ state: "working" });
    const candleFiles: CandleFile[] = [];
    for (const file of files) {
      const candleFile = await readCandleFile(file);
      if (!candleFile) {
        setRecheck({ state: "unreadable", fileName: file.name });
        return;
      }
      candleFiles.push(candleFile);
    }
    try {
      const result = await recheckLedger(candleFiles, signal);
      if (!signal.aborted) setRecheck({ state: "done", ...result });
    } catch {
      // The reader can only try again; leaving the page is no failure.
      if (!signal.aborted) setRecheck({ state: "failed" });
    }
  };
  return { recheck, start };
}

/** Null for a file without a market in its name, or without candles in it. */
async function readCandleFile(file: File): Promise<CandleFile | null> {
  const market = parseCandleFileName(file.name);
  if (!market) return null;
  try {
    return { ...market, candles: parseCandleCsv(await file.text()) };
  } catch {
    return null;
  }
}

async function recheckLedger(files: readonly CandleFile[], signal: AbortSignal) {
  const recorded: RecordedOutcome[] = [];
  const { fault } = await verifyLedger(await openDownload(signal), {
    onOutcome: (outcome) => recorded.push(outcome),
  });
  const source = candleFilesSource(files);
  const outcomes: RecheckedOutcome[] = [];
  for (const outcome of recorded) {
    outcomes.push({ ...outcome, recheck: await resolveAgain(outcome, source) });
  }
  return { fault, outcomes };
}
