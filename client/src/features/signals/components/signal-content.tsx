import { MESSAGES } from "@shared/contract/constants.ts";
import type { SharedSignal } from "@shared/contract/resolution.ts";
import type { Filled, SignalOrigin } from "@shared/contract/signal.ts";
import { rationaleContent } from "@shared/contract/signal.ts";
import type { ReactNode } from "react";
import { confidenceWords } from "../../../lib/confidence.ts";
import { formatDateTime } from "../../../lib/format.ts";
import { DataLabel } from "../../../ui/badges.tsx";
import { Card, Skeleton } from "../../../ui/card.tsx";
import { lazyComponent } from "../../../ui/lazy-component.tsx";
import { tradeLevels } from "../levels.ts";
import { groupWarnings } from "../warnings.ts";
import { AnalystRecord } from "./analyst-record.tsx";
import { OutcomePanel } from "./outcome-panel.tsx";
import {
  OriginMark,
  PriceLevels,
  Section,
  SignalHeader,
  signalLooks,
  Warnings,
} from "./signal-parts.tsx";

const chartBox = "h-[32rem]";

const SignalChart = lazyComponent(
  () => import("../chart/signal-chart.tsx"),
  "SignalChart",
  <Skeleton className="size-full rounded-control" />,
);

interface SignalContentProps {
  signal: SharedSignal & { filled?: Filled | null | undefined };
  origin?: SignalOrigin;
  /** How far the trade has come. */
  progress?: ReactNode;
  children?: ReactNode;
}

export function SignalContent({ signal, origin, progress, children }: SignalContentProps) {
  const { symbol, timeframe, created_at: createdAt, analysis, judgement } = signal;
  const { final_signal: kind } = analysis;
  const levels = kind === "WAIT" ? null : tradeLevels(analysis);
  const confidence = confidenceWords(kind, analysis);
  const { name, edge } = signalLooks[kind];
  const { disclosures, warnings, notes } = groupWarnings(analysis.warnings);
  return (
    <article className="flex flex-col gap-5">
      <Card data-signal={name} className={`flex flex-col gap-6 border-t-2 p-5 sm:p-7 ${edge}`}>
        <SignalHeader kind={kind} symbol={symbol} timeframe={timeframe} heading="h1">
          <time dateTime={createdAt}>{formatDateTime(createdAt)}</time>
          {confidence === null ? " " : ` · ${confidence} `}
          {analysis.source.demo_record && <DataLabel>{MESSAGES.demoRecord}</DataLabel>}
        </SignalHeader>
        <OriginMark origin={origin} />
        {progress}
        <Warnings title="Demo signal" warnings={disclosures} />
        <Warnings title="Warnings" warnings={warnings} />
        {levels && <PriceLevels levels={levels} />}
        <AnalystRecord analysis={analysis} />
        <div className={chartBox}>
          <SignalChart signal={signal} levels={levels} />
        </div>
      </Card>
      <Card className="p-5 sm:p-7">
        <OutcomePanel resolution={judgement} levels={levels} />
      </Card>
      {children}
      <Card className="p-5 sm:p-7">
        <SignalReasons analysis={analysis} notes={notes} />
      </Card>
    </article>
  );
}

interface SignalReasonsProps {
  analysis: SharedSignal["analysis"];
  notes: string[];
}

function SignalReasons({ analysis, notes }: SignalReasonsProps) {
  const { raw_ai, suggested_hold, valid_until, source } = analysis;
  return (
    <div className="flex flex-col gap-6">
      <Warnings title="Notes on the reasons" warnings={notes} tone="info" />
      <div className="grid gap-x-10 gap-y-6 lg:grid-cols-2">
        <Section heading="h2" title="Rationale" content={rationaleContent(raw_ai.rationale)} />
        <Section heading="h2" title="Key evidence" content={raw_ai.key_evidence} />
        <Section heading="h2" title="What to watch for" content={raw_ai.what_to_watch_for} />
        <div className="flex flex-col gap-6">
          <Section heading="h2" title="Suggested hold" content={suggested_hold} />
          {valid_until && (
            <Section heading="h2" title="Entry valid until" content={formatDateTime(valid_until)} />
          )}
          <Section heading="h2" title="Source" content={sourceText(source)} />
        </div>
      </div>
    </div>
  );
}

const dataNames = { live: "Live data", replay: "Recorded data", none: "No data" } as const;
const analystNames = { openai: "an AI model", rules: "fixed rules", none: "no analyst" } as const;

function sourceText(source: SharedSignal["analysis"]["source"]): string {
  const { data, provider, analyst, model } = source;
  const from = data === "live" ? `${dataNames.live} (${provider})` : dataNames[data];
  const by = analyst === "openai" ? `${analystNames.openai} (${model})` : analystNames[analyst];
  return `${from}, analyzed by ${by}`;
}

export function SignalSkeleton() {
  return (
    <div role="status" aria-label="Loading the signal" className="flex flex-col gap-5">
      <Skeleton className="h-[36rem] rounded-card" />
      <Skeleton className="h-60 rounded-card" />
    </div>
  );
}
