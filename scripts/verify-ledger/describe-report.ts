import type { LedgerReport } from "@shared/contract/ledger-verifier.ts";
import type { Recheck, RecordedOutcome } from "@shared/outcomes/resolve-again.ts";

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
  const { analyses, outcomes, revealed, late } = tally;
  const resolved = outcomes.WIN + outcomes.LOSS + outcomes.EXPIRED;
  return [
    `Intact: ${count(head.seq)} records.`,
    `Analyses: ${count(analyses.live)} live, ${count(analyses.replay)} demo; figures revealed of ${count(revealed)}.`,
    `Resolved: ${count(resolved)}: ${outcomes.WIN} won, ${outcomes.LOSS} lost, ${outcomes.EXPIRED} expired.`,
    `Recorded more than a minute late: ${count(late)}.`,
    `Head ${head.seq}:${head.hash}`,
  ];
}

/** An outcome that was resolved again, and the result. */
export type NumberedRecheck = RecordedOutcome & { recheck: Recheck };

/** What resolving the outcomes again came to, line by line. */
export function describeRechecks(rechecks: readonly NumberedRecheck[]): string[] {
  const countOf = (result: Recheck["result"]) =>
    rechecks.filter(({ recheck }) => recheck.result === result).length;
  const differing = rechecks.flatMap(({ seq, figures, recheck }) => {
    if (recheck.result !== "differs") return [];
    const fields = recheck.fields.map(
      ({ name, recorded, resolved }) => `${name} is ${recorded}, resolved again ${resolved}`,
    );
    return [
      `DIFFERS: record ${seq}, ${figures.symbol} ${figures.timeframe}: ${fields.join("; ")}.`,
    ];
  });
  return [
    `Resolved again: ${count(rechecks.length)}: ${countOf("agrees")} agree, ${countOf("differs")} differ.`,
    `Not checked: ${countOf("no-candles")} without candles, ${countOf("needs-finer-candles")} need candles of a shorter timeframe.`,
    ...differing,
  ];
}
