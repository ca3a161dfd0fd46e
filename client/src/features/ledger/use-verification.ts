import type { KeptHead, LedgerReport } from "@shared/contract/ledger-verifier.ts";
import { verifyLedger } from "@shared/contract/verify-ledger.ts";
import { useEffect, useRef, useState } from "react";
import { keepHead, readKeptHead } from "./kept-head.ts";
import { openDownload } from "./ledger-api.ts";

export type Verification =
  | { state: "idle" }
  | { state: "working"; lines: number }
  | { state: "done"; report: LedgerReport; kept: KeptHead | null }
  | { state: "failed" };

/** Verifies the whole ledger in this browser, against the head that it verified before. */
export function useVerification(): { verification: Verification; start: () => Promise<void> } {
  const [verification, setVerification] = useState<Verification>({ state: "idle" });
  const leaving = useRef(new AbortController());
  useEffect(() => {
    const controller = new AbortController();
    leaving.current = controller;
    return () => controller.abort();
  }, []);
  const start = async () => {
    const { signal } = leaving.current;
    const kept = readKeptHead(localStorage);
    const onProgress = (lines: number) => {
      if (!signal.aborted) setVerification({ state: "working", lines });
    };
    onProgress(0);
    try {
      const report = await verifyLedger(await openDownload(signal), {
        kept: kept ? [kept] : [],
        onProgress,
      });
      if (report.fault === null && report.head.seq > 0) keepHead(localStorage, report.head);
      setVerification({ state: "done", report, kept });
    } catch {
      // Whatever it was, the reader can only try again; leaving the page is no failure.
      if (!signal.aborted) setVerification({ state: "failed" });
    }
  };
  return { verification, start };
}
