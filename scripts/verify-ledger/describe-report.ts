import type { LedgerReport } from "@shared/contract/ledger-verifier.ts";

const count = new Intl.NumberFormat("en-US").format;

/** A report in words, line by line. */
export function describeReport({ fault, head, tally }: LedgerReport): string[] {
  if (fault) {
    const place = fault.line === null ? "" : ` (line ${fault.line})`;
    return [
      `NOT INTACT: record ${fault.seq}${place}: ${fault.detail} [${fault.reason}].`,
      `The ${count(head.seq)} records before are good.`,
    ];
  }
  const { signals, outcomes, revealed, cleared, late } = tally;
  const judged = outcomes.WIN + outcomes.LOSS + outcomes.EXPIRED;
  return [
    `Intact: ${count(head.seq)} records.`,
    `Signals: ${count(signals.live)} live, ${count(signals.replay)} demo; figures revealed of ${count(revealed)}.`,
    `Judged: ${count(judged)}: ${outcomes.WIN} won, ${outcomes.LOSS} lost, ${outcomes.EXPIRED} expired.`,
    `Signals whose owner is forgotten: ${count(cleared)}. Recorded more than a minute late: ${count(late)}.`,
    `Head ${head.seq}:${head.hash}`,
  ];
}
