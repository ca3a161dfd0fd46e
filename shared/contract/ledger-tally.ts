import type { LedgerEntry } from "./ledger.ts";

/** A commitment should stand before its outcome can be known: before the shortest candle is over. */
const LATE_AFTER_MS = 60_000;

/** What an intact ledger adds up to. */
export interface LedgerTally {
  /** Recorded analyses by where their candles came from. */
  analyses: { live: number; replay: number; none: number };
  /** Resolved trades by their outcome. */
  outcomes: { WIN: number; LOSS: number; EXPIRED: number };
  /** Analyses whose figures are public. */
  revealed: number;
  /** Revealed analyses that were recorded more than a minute after they were finished. */
  late: number;
}

export function emptyTally(): LedgerTally {
  return {
    analyses: { live: 0, replay: 0, none: 0 },
    outcomes: { WIN: 0, LOSS: 0, EXPIRED: 0 },
    revealed: 0,
    late: 0,
  };
}

/** Adds one good entry to `tally`. */
export function countEntry(tally: LedgerTally, { record, reveal }: LedgerEntry): void {
  switch (record.kind) {
    case "analysis":
      tally.analyses[record.body.data] += 1;
      if (!reveal) return;
      tally.revealed += 1;
      if (Date.parse(record.at) - Date.parse(reveal.figures.finished_at) > LATE_AFTER_MS)
        tally.late += 1;
      return;
    case "outcome":
      tally.outcomes[record.body.outcome] += 1;
      return;
  }
}
