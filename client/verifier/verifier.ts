import {
  type KeptHead,
  type LedgerReport,
  verifyLedger,
} from "@shared/contract/ledger-verifier.ts";

function start(): void {
  const file = document.querySelector<HTMLInputElement>("#file");
  const head = document.querySelector<HTMLInputElement>("#head");
  const result = document.querySelector<HTMLOutputElement>("#result");
  if (!file || !head || !result) return;
  const show = (state: string, text: string) => {
    result.dataset.state = state;
    result.textContent = text;
  };
  const verify = async () => {
    const [chosen] = file.files ?? [];
    if (!chosen) return;
    const kept = parseHead(head.value);
    if (kept === null) return show("broken", "A fingerprint is a number, a colon, and 64 digits.");
    const onProgress = (lines: number) => show("working", `Verifying… ${lines} records`);
    const report = await verifyLedger(chosen.stream(), { kept, onProgress });
    show(report.fault ? "broken" : "intact", describe(report));
  };
  const run = () => {
    verify().catch(() => show("broken", "The file could not be read."));
  };
  file.addEventListener("change", run);
  head.addEventListener("change", run);
}

function parseHead(text: string): KeptHead[] | null {
  if (text.trim() === "") return [];
  const [, seq, hash] = /^\s*(\d{1,15}):([0-9a-f]{64})\s*$/.exec(text) ?? [];
  return seq && hash ? [{ seq: Number(seq), hash }] : null;
}

function describe({ fault, head, tally }: LedgerReport): string {
  if (fault) {
    const place = fault.line === null ? "" : ` (line ${fault.line})`;
    return `Not intact. Record ${fault.seq}${place}: ${fault.detail}.`;
  }
  const { analyses, outcomes, late } = tally;
  return [
    `Intact: ${head.seq} records.`,
    `Analyses: ${analyses.live} live, ${analyses.replay} on demo data.`,
    `Outcomes: ${outcomes.WIN} won, ${outcomes.LOSS} lost, ${outcomes.EXPIRED} expired.`,
    `Recorded more than a minute late: ${late}.`,
    `Fingerprint: ${head.seq}:${head.hash}`,
  ].join("\n");
}

start();
