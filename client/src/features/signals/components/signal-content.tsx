import type { Candle, Timeframe } from "@shared/contract/candle.ts";
import type { Resolution } from "@shared/contract/resolution.ts";
import type { SharedSignal } from "@shared/contract/signal-page.ts";
import type { ReactNode } from "react";
import { confidenceWords } from "../../../lib/confidence.ts";
import { formatDateTime } from "../../../lib/format.ts";
import { Card, Skeleton } from "../../../ui/card.tsx";
import { SignalBadge } from "../../../ui/signal-badge.tsx";
import { tradeLevels } from "../levels.ts";
import { AnalystRecord } from "./analyst-record.tsx";
import { OutcomePanel } from "./outcome-panel.tsx";
import { SignalChart } from "./signal-chart.tsx";
import { ListSection, PriceLevels, signalLooks, TextSection, Warnings } from "./signal-parts.tsx";

interface SignalContentProps {
  symbol: string;
  timeframe: Timeframe;
  createdAt: string;
  analysis: SharedSignal["analysis"];
  before: Candle[];
  since: Candle[];
  resolution: Resolution | null;
  children?: ReactNode;
}

export function SignalContent(props: SignalContentProps) {
  const { symbol, timeframe, createdAt, analysis, resolution, children } = props;
  const { final_signal: kind, confidence, calibrated_confidence: calibrated } = analysis;
  const levels = kind === "WAIT" ? null : tradeLevels(analysis);
  const { name, edge } = signalLooks[kind];
  return (
    <article className="flex flex-col gap-5">
      <Card data-signal={name} className={`flex flex-col gap-6 border-t-2 p-5 sm:p-7 ${edge}`}>
        <header className="flex items-center gap-4">
          <SignalBadge signal={kind} size="lg" />
          <div className="min-w-0">
            <h1 className="text-xl font-semibold tracking-tight sm:text-2xl">
              {symbol} <span className="font-normal text-ink-muted">{timeframe}</span>
            </h1>
            <p className="figures text-sm text-ink-faint">
              <time dateTime={createdAt}>{formatDateTime(createdAt)}</time>
              {` · ${confidenceWords({ signal: kind, confidence, calibrated })}`}
            </p>
          </div>
        </header>
        <AnalystRecord analysis={analysis} />
        {levels && <PriceLevels levels={levels} />}
        <SignalChart {...props} name={`${symbol} ${timeframe}`} levels={levels} />
      </Card>
      <Card className="p-5 sm:p-7">
        <OutcomePanel resolution={resolution} levels={levels} />
      </Card>
      {children}
      <Card className="p-5 sm:p-7">
        <SignalReasons analysis={analysis} />
      </Card>
    </article>
  );
}

function SignalReasons({ analysis }: { analysis: SharedSignal["analysis"] }) {
  const { raw_ai, warnings, suggested_hold, valid_until, source } = analysis;
  return (
    <div className="flex flex-col gap-6">
      <Warnings warnings={warnings} />
      <div className="grid gap-x-10 gap-y-6 lg:grid-cols-2">
        <TextSection heading="h2" title="Rationale" text={raw_ai.rationale} />
        <ListSection heading="h2" title="Key evidence" items={raw_ai.key_evidence} />
        <ListSection heading="h2" title="What to watch for" items={raw_ai.what_to_watch_for} />
        <div className="flex flex-col gap-6">
          <TextSection heading="h2" title="Suggested hold" text={suggested_hold} />
          {valid_until && (
            <TextSection
              heading="h2"
              title="Entry valid until"
              text={formatDateTime(valid_until)}
            />
          )}
          <TextSection heading="h2" title="Source" text={sourceText(source)} />
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
