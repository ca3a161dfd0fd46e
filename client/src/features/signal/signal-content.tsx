import type { Candle, Timeframe } from "@shared/contract/candle.ts";
import type { Judgement } from "@shared/contract/judgement.ts";
import type { SharedSignal } from "@shared/contract/signal-page.ts";
import type { ReactNode } from "react";
import { confidenceWords } from "../../lib/confidence.ts";
import { formatChange, formatDateTime, formatPrice } from "../../lib/format.ts";
import { useAnalystRecord } from "../../lib/performance/use-analyst-record.ts";
import { distancePercent, type TradeLevels, tradeLevels } from "../../lib/trade-levels.ts";
import { AnalystRecordPanel } from "../../ui/analyst-record-panel.tsx";
import { Card } from "../../ui/card.tsx";
import { SignalBadge } from "../../ui/signal-badge.tsx";
import { JudgementPanel } from "./judgement-panel.tsx";
import { SignalChart } from "./signal-chart.tsx";
import { SignalReasons } from "./signal-reasons.tsx";
import { signalTexts as texts } from "./texts.ts";

export interface SignalContentProps {
  symbol: string;
  timeframe: Timeframe;
  /** ISO time. */
  createdAt: string;
  analysis: SharedSignal["analysis"];
  before: Candle[];
  since: Candle[];
  judgement: Judgement | null;
  /** Stands beside the judgement. */
  children?: ReactNode;
}

const kinds = { BUY: "buy", SELL: "sell", WAIT: "wait" } as const;
const edges = { BUY: "border-t-buy", SELL: "border-t-sell", WAIT: "border-t-wait" } as const;

/** A signal as it was given, and what the market made of it; nothing of its user. */
export function SignalContent(props: SignalContentProps) {
  const { symbol, timeframe, createdAt, analysis, judgement, children } = props;
  const { final_signal: kind, confidence, calibrated_confidence: calibrated } = analysis;
  const record = useAnalystRecord(analysis);
  const levels = kind === "WAIT" ? null : tradeLevels(analysis);
  return (
    <article className="flex flex-col gap-5">
      <Card
        data-signal={kinds[kind]}
        className={`flex flex-col gap-6 border-t-2 p-5 sm:p-7 ${edges[kind]}`}
      >
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
        {record && <AnalystRecordPanel record={record} />}
        {levels && <Levels levels={levels} />}
        <SignalChart {...props} name={`${symbol} ${timeframe}`} levels={levels} />
      </Card>
      <Card className="p-5 sm:p-7">
        <JudgementPanel judgement={judgement} levels={levels} />
      </Card>
      {children}
      <Card className="p-5 sm:p-7">
        <SignalReasons analysis={analysis} />
      </Card>
    </article>
  );
}

function Levels({ levels: { entry, stopLoss, takeProfit } }: { levels: TradeLevels }) {
  const changeOf = (price: number) => formatChange(distancePercent(entry, price));
  return (
    <dl className="grid gap-3 sm:grid-cols-3">
      <Level label={texts.entry} price={entry} tone="text-accent" />
      <Level label={texts.stopLoss} price={stopLoss} note={changeOf(stopLoss)} tone="text-sell" />
      <Level
        label={texts.takeProfit}
        price={takeProfit}
        note={changeOf(takeProfit)}
        tone="text-buy"
      />
    </dl>
  );
}

interface LevelProps {
  label: string;
  price: number;
  note?: string;
  tone: string;
}

function Level({ label, price, note, tone }: LevelProps) {
  return (
    <div className="flex items-baseline justify-between gap-3 rounded-control border border-line bg-canvas px-4 py-3">
      <dt className={`text-sm font-medium ${tone}`}>{label}</dt>
      <dd className="figures text-right">
        <span className="block text-lg font-semibold tracking-tight">{formatPrice(price)}</span>
        {note && <span className="block text-sm text-ink-faint">{note}</span>}
      </dd>
    </div>
  );
}
