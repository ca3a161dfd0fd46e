import type { Candle, Timeframe } from "@shared/contract/candle.ts";
import type { Resolution } from "@shared/contract/resolution.ts";
import type { SharedSignal } from "@shared/contract/signal-page.ts";
import type { ReactNode } from "react";
import { confidenceWords } from "../../../lib/confidence.ts";
import { formatChange, formatDateTime, formatPrice } from "../../../lib/format.ts";
import { Alert } from "../../../ui/alert.tsx";
import { Card, Skeleton } from "../../../ui/card.tsx";
import { SignalBadge } from "../../../ui/signal-badge.tsx";
import { distancePercent, type TradeLevels, tradeLevels } from "../levels.ts";
import { signalMessages as texts } from "../messages.ts";
import { AnalystRecordPanel, useAnalystRecord } from "./analyst-record.tsx";
import { OutcomePanel } from "./outcome-panel.tsx";
import { SignalChart } from "./signal-chart.tsx";

interface SignalContentProps {
  symbol: string;
  timeframe: Timeframe;
  /** ISO time. */
  createdAt: string;
  analysis: SharedSignal["analysis"];
  before: Candle[];
  since: Candle[];
  judgement: Resolution | null;
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
        <OutcomePanel judgement={judgement} levels={levels} />
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

/** Why a signal said what it said, and where that came from; empty parts are left out. */
function SignalReasons({ analysis }: { analysis: SharedSignal["analysis"] }) {
  const { raw_ai, warnings, suggested_hold, valid_until, source } = analysis;
  return (
    <div className="flex flex-col gap-6">
      {warnings.length > 0 && (
        <Alert tone="warning" title={texts.warnings}>
          <ul className="flex flex-col gap-1">
            {warnings.map((warning) => (
              <li key={warning}>{warning}</li>
            ))}
          </ul>
        </Alert>
      )}
      <div className="grid gap-x-10 gap-y-6 lg:grid-cols-2">
        <Part title={texts.rationale} text={raw_ai.rationale} />
        <Items title={texts.evidence} items={raw_ai.key_evidence} />
        <Items title={texts.watch} items={raw_ai.what_to_watch_for} />
        <div className="flex flex-col gap-6">
          <Part title={texts.hold} text={suggested_hold} />
          {valid_until && <Part title={texts.validUntil} text={formatDateTime(valid_until)} />}
          <Part title={texts.source} text={sourceText(source)} />
        </div>
      </div>
    </div>
  );
}

/** Names the model only where there is more than one. */
function sourceText({
  data,
  provider,
  analyst,
  model,
}: SharedSignal["analysis"]["source"]): string {
  const from = data === "live" ? `${texts.data.live} (${provider})` : texts.data[data];
  const by = analyst === "openai" ? `${texts.analyst.openai} (${model})` : texts.analyst[analyst];
  return `${from}, by ${by}`;
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section>
      <h2 className="text-sm font-medium text-ink-faint">{title}</h2>
      {children}
    </section>
  );
}

function Part({ title, text }: { title: string; text: string }) {
  if (text.trim() === "") return null;
  return (
    <Section title={title}>
      <p className="mt-1.5 max-w-prose leading-relaxed text-pretty whitespace-pre-line">{text}</p>
    </Section>
  );
}

function Items({ title, items }: { title: string; items: string[] }) {
  if (items.length === 0) return null;
  return (
    <Section title={title}>
      <ul className="mt-1.5 flex list-disc flex-col gap-1.5 pl-5 leading-relaxed marker:text-ink-faint">
        {items.map((item) => (
          <li key={item}>{item}</li>
        ))}
      </ul>
    </Section>
  );
}

/** Stands where a signal will appear. */
export function SignalSkeleton() {
  return (
    <div role="status" aria-label={texts.loading} className="flex flex-col gap-5">
      <Skeleton className="h-[36rem] rounded-card" />
      <Skeleton className="h-60 rounded-card" />
    </div>
  );
}
