import type { KeptHead, LedgerReport } from "@shared/contract/ledger-verifier.ts";
import { Notice } from "../../ui/notice.tsx";
import { verifyTexts as texts } from "./texts.ts";

interface VerifyReportProps {
  report: LedgerReport;
  /** What this browser had verified before. */
  kept: KeptHead | null;
}

/** What came of a verification. */
export function VerifyReport({ report, kept }: VerifyReportProps) {
  const { fault, head } = report;
  if (fault) {
    return (
      <Notice tone="error" role="alert" title={texts.brokenTitle(fault.seq)}>
        {texts.broken(fault.detail, fault.line)}
      </Notice>
    );
  }
  return (
    <div className="flex animate-enter flex-col gap-4">
      <Notice tone="success" role="status" title={texts.intactTitle(head.seq)}>
        {texts.intact} {kept && texts.keptSince(kept.seq)}
      </Notice>
      <dl className="grid grid-cols-1 gap-x-6 gap-y-4 min-[24rem]:grid-cols-2">
        {figuresOf(report).map(({ name, value, hint }) => (
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

function figuresOf({ tally }: LedgerReport) {
  const { analyses, outcomes, late } = tally;
  const { WIN, LOSS, EXPIRED } = outcomes;
  return [
    {
      name: texts.analyses,
      value: analyses.live + analyses.replay + analyses.none,
      hint: texts.demo(analyses.replay),
    },
    { name: texts.outcomes, value: WIN + LOSS + EXPIRED, hint: texts.split(WIN, LOSS, EXPIRED) },
    { name: texts.late, value: late, hint: texts.lateHint },
  ];
}
