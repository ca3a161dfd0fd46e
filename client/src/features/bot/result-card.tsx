import type { Timeframe } from "@shared/contract/candle.ts";
import type { Analysis, EntryLeft } from "@shared/contract/signal.ts";
import { lazy, type ReactNode, Suspense } from "react";
import { useAnalystRecord } from "../../lib/performance/use-analyst-record.ts";
import { tradeLevels } from "../../lib/trade-levels.ts";
import { AnalystRecordPanel } from "../../ui/analyst-record-panel.tsx";
import { Card } from "../../ui/card.tsx";
import { LocalTime } from "../../ui/local-time.tsx";
import { Notice } from "../../ui/notice.tsx";
import { SignalBadge } from "../../ui/signal-badge.tsx";
import { ConfidenceBar } from "./confidence-bar.tsx";
import { ResultLevels } from "./result-levels.tsx";
import { ResultReasons } from "./result-reasons.tsx";
import { ResultSizing } from "./result-sizing.tsx";
import { ResultSource } from "./result-source.tsx";
import { resultTexts as texts } from "./texts.ts";
import { Validity } from "./validity.tsx";

const EntryLeftNotice = lazy(async () => ({
  default: (await import("./entry-left-notice.tsx")).EntryLeftNotice,
}));

interface ResultCardProps {
  symbol: string;
  timeframe: Timeframe;
  /** ISO time. */
  createdAt: string;
  analysis: Analysis;
  entryLeft?: EntryLeft | null | undefined;
  chart?: ReactNode;
}

const kinds = { BUY: "buy", SELL: "sell", WAIT: "wait" } as const;
const edges = { BUY: "border-t-buy", SELL: "border-t-sell", WAIT: "border-t-wait" } as const;

/** A finished signal: what to do, how sure it is, at what prices, with what size, and why. */
export function ResultCard(props: ResultCardProps) {
  const { symbol, timeframe, createdAt, analysis, entryLeft, chart } = props;
  const { final_signal, confidence, calibrated_confidence, valid_until, warnings } = analysis;
  const levels = tradeLevels(analysis);
  const record = useAnalystRecord(analysis);
  return (
    <Card
      data-signal={kinds[final_signal]}
      className={`flex animate-enter flex-col gap-7 border-t-2 p-5 sm:p-7 ${edges[final_signal]}`}
    >
      <header className="grid gap-5 sm:grid-cols-[1fr_16rem] sm:items-center">
        <div className="flex items-center gap-4">
          <SignalBadge signal={final_signal} size="lg" />
          <div className="min-w-0">
            <h2 className="text-xl font-semibold tracking-tight">
              {symbol} <span className="font-normal text-ink-muted">{timeframe}</span>
            </h2>
            <p className="figures text-sm text-ink-faint">
              <LocalTime iso={createdAt} focusable />
            </p>
          </div>
        </div>
        <ConfidenceBar
          signal={final_signal}
          confidence={confidence}
          calibrated={calibrated_confidence}
        />
      </header>
      {record && <AnalystRecordPanel record={record} />}
      <div role="status" className="empty:hidden">
        <Suspense>{entryLeft && <EntryLeftNotice entryLeft={entryLeft} />}</Suspense>
      </div>
      {valid_until && <Validity key={valid_until} until={valid_until} />}
      <Warnings warnings={warnings} />
      {levels && (
        <div className="flex flex-col gap-5">
          <ResultLevels levels={levels} lastPrice={analysis.source.price} />
          <ResultSizing symbol={symbol} analysis={analysis} />
        </div>
      )}
      {chart}
      <ResultReasons analysis={analysis} />
      <ResultSource source={analysis.source} delayMs={analysis.delivery_delay_ms} />
    </Card>
  );
}

function Warnings({ warnings }: { warnings: string[] }) {
  if (warnings.length === 0) return null;
  return (
    <Notice tone="warning" title={texts.warnings}>
      <ul className="flex flex-col gap-1">
        {warnings.map((warning) => (
          <li key={warning}>{warning}</li>
        ))}
      </ul>
    </Notice>
  );
}
