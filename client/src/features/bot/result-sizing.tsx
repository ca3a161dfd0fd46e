import type { Analysis } from "@shared/contract/signal.ts";
import { lazy, Suspense } from "react";
import { formatUnits, formatUsd } from "../../lib/format.ts";
import { resultTexts as texts } from "./texts.ts";

const ContractNote = lazy(async () => ({
  default: (await import("./contract-note.tsx")).ContractNote,
}));

/** Name of what one unit is: the base of a pair; indices and oil are counted in units. */
const unitName = (symbol: string) => (symbol.includes("/") ? symbol.split("/")[0] : "units");

/** How large a position the amount and the risk allow. */
export function ResultSizing({ symbol, analysis }: { symbol: string; analysis: Analysis }) {
  const { suggested_units, estimated_dollar_risk, required_margin } = analysis;
  return (
    <div className="flex flex-col gap-2">
      <dl
        aria-label={texts.sizing}
        className="grid divide-y divide-line rounded-control border border-line sm:grid-cols-3 sm:divide-x sm:divide-y-0"
      >
        <Figure label={texts.units} value={`${formatUnits(suggested_units)} ${unitName(symbol)}`} />
        <Figure label={texts.dollarRisk} value={formatUsd(estimated_dollar_risk)} />
        <Figure label={texts.margin} value={formatUsd(required_margin)} />
      </dl>
      <Suspense>
        <ContractNote symbol={symbol} units={suggested_units} />
      </Suspense>
    </div>
  );
}

function Figure({ label, value }: { label: string; value: string }) {
  return (
    <div className="flex items-baseline justify-between gap-4 px-4 py-3 sm:block">
      <dt className="text-sm text-ink-muted">{label}</dt>
      <dd className="figures font-medium sm:mt-1">{value}</dd>
    </div>
  );
}
