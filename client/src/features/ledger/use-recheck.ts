import type { LedgerReport } from "@shared/contract/ledger-verifier.ts";
import { verifyLedger } from "@shared/contract/verify-ledger.ts";
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
import { useEffect, useRef, useState } from "react";
import { openDownload } from "./ledger-api.ts";

/** An outcome that was resolved again, and the result. */
export type RecheckedOutcome = RecordedOutcome & { recheck: Recheck };

export type RecheckState =
  | { state: "idle" | "working" | "failed" }
  | { state: "unreadable"; fileName: string }
  | { state: "done"; fault: LedgerReport["fault"]; outcomes: readonly RecheckedOutcome[] };

/** Resolves the outcomes of the ledger again in this browser, by the candles of files. */
export function useRecheck(): {
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
