import type { Analysis, SignalSource } from "@shared/contract/signal.ts";
import { lazy, type ReactNode, Suspense } from "react";
import {
  formatChange,
  formatDuration,
  formatPrice,
  formatRatio,
  formatUnits,
  formatUsd,
} from "../../../lib/format.ts";
import { LocalTime } from "../../../ui/local-time.tsx";
import { resultMessages, sourceMessages } from "../bot-messages.ts";
import { distancePercent, rewardToRisk, type TradeLevels } from "../levels.ts";

interface ResultLevelsProps {
  levels: TradeLevels;
  /** The market's price when the signal was made. */
  lastPrice: number | null;
}

/** The three prices of the trade, how far apart they are, and what the trade pays for its risk. */
export function ResultLevels({ levels, lastPrice }: ResultLevelsProps) {
  const { entry, stopLoss, takeProfit } = levels;
  const entryNote =
    lastPrice === null
      ? ""
      : `${formatChange(distancePercent(lastPrice, entry))} ${resultMessages.fromPrice}`;
  return (
    <section className="flex flex-col gap-4">
      <dl className="grid gap-3 sm:grid-cols-3">
        <Level label={resultMessages.entry} price={entry} note={entryNote} tone="text-accent" />
        <Level
          label={resultMessages.stopLoss}
          price={stopLoss}
          note={formatChange(distancePercent(entry, stopLoss))}
          tone="text-sell"
        />
        <Level
          label={resultMessages.takeProfit}
          price={takeProfit}
          note={formatChange(distancePercent(entry, takeProfit))}
          tone="text-buy"
        />
      </dl>
      <RiskBar levels={levels} />
    </section>
  );
}

interface LevelProps {
  label: string;
  price: number;
  note: string;
  tone: string;
}

function Level({ label, price, note, tone }: LevelProps) {
  return (
    <div className="flex items-baseline justify-between gap-3 rounded-control border border-line bg-canvas px-4 py-3.5 sm:block">
      <dt className={`text-sm font-medium ${tone}`}>{label}</dt>
      <dd className="text-right sm:mt-1.5 sm:text-left">
        <span className="figures block text-lg font-semibold tracking-tight lg:text-xl">
          {formatPrice(price)}
        </span>
        <span className="figures block text-sm text-ink-faint">{note}</span>
      </dd>
    </div>
  );
}

/** Risk and reward to scale, beside each other. */
function RiskBar({ levels }: { levels: TradeLevels }) {
  const ratio = rewardToRisk(levels);
  if (ratio === null) return null;
  return (
    <div className="flex flex-col gap-2">
      <div className="flex items-baseline justify-between text-sm">
        <span className="text-ink-muted">{resultMessages.rewardToRisk}</span>
        <span className="figures font-medium">{formatRatio(ratio)}</span>
      </div>
      <div aria-hidden className="flex h-2 gap-0.5 overflow-hidden rounded-full">
        <div className="bg-sell" style={{ flexGrow: 1 }} />
        <div className="bg-buy" style={{ flexGrow: ratio }} />
      </div>
    </div>
  );
}

const ContractNote = lazy(async () => ({
  default: (await import("./contract-size-note.tsx")).ContractNote,
}));

/** Name of what one unit is: the base of a pair; indices and oil are counted in units. */
const unitName = (symbol: string) => (symbol.includes("/") ? symbol.split("/")[0] : "units");

/** How large a position the amount and the risk allow. */
export function ResultSizing({ symbol, analysis }: { symbol: string; analysis: Analysis }) {
  const { suggested_units, estimated_dollar_risk, required_margin } = analysis;
  return (
    <div className="flex flex-col gap-2">
      <dl
        aria-label={resultMessages.sizing}
        className="grid divide-y divide-line rounded-control border border-line sm:grid-cols-3 sm:divide-x sm:divide-y-0"
      >
        <Figure
          label={resultMessages.units}
          value={`${formatUnits(suggested_units)} ${unitName(symbol)}`}
        />
        <Figure label={resultMessages.dollarRisk} value={formatUsd(estimated_dollar_risk)} />
        <Figure label={resultMessages.margin} value={formatUsd(required_margin)} />
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

/** Why the signal says what it says; parts that the analyst left empty are left out. */
export function ResultReasons({ analysis }: { analysis: Analysis }) {
  const { raw_ai, suggested_hold, trade_duration_text } = analysis;
  return (
    <div className="grid gap-x-10 gap-y-6 lg:grid-cols-2">
      <Part title={resultMessages.rationale} text={raw_ai.rationale} wide />
      <ListPart title={resultMessages.evidence} items={raw_ai.key_evidence} />
      <ListPart title={resultMessages.watch} items={raw_ai.what_to_watch_for} />
      <div className="grid gap-x-10 gap-y-6 sm:grid-cols-3 lg:col-span-2">
        <Part title={resultMessages.condition} text={raw_ai.market_condition} />
        <Part title={resultMessages.hold} text={suggested_hold} />
        <Part title={resultMessages.duration} text={trade_duration_text} />
      </div>
    </div>
  );
}

function Section({
  title,
  wide,
  children,
}: {
  title: string;
  wide?: boolean;
  children: ReactNode;
}) {
  return (
    <section className={wide ? "lg:col-span-2" : ""}>
      <h3 className="text-sm font-medium text-ink-faint">{title}</h3>
      {children}
    </section>
  );
}

function Part({ title, text, wide = false }: { title: string; text: string; wide?: boolean }) {
  if (text.trim() === "") return null;
  return (
    <Section title={title} wide={wide}>
      <p className="mt-1.5 max-w-prose leading-relaxed text-pretty whitespace-pre-line">{text}</p>
    </Section>
  );
}

function ListPart({ title, items }: { title: string; items: string[] }) {
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

interface ResultSourceProps {
  source: SignalSource;
  /** From the close of the last candle to the result, in milliseconds. */
  delayMs: number | undefined;
}

/** Where the candles and the judgement came from, and how fresh they were. */
export function ResultSource({ source, delayMs }: ResultSourceProps) {
  const { data, provider, analyst, model, last_candle_at, analysed_at, price } = source;
  const facts = [
    data === "none" ? "" : `${sourceMessages.data[data]}: ${provider}`,
    analyst === "none" ? "" : `${sourceMessages.analyst[analyst]}: ${model}`,
    price === null ? "" : `${sourceMessages.price}: ${formatPrice(price)}`,
    delayMs === undefined ? "" : sourceMessages.delay(formatDuration(delayMs)),
  ].filter((fact) => fact !== "");
  if (facts.length === 0 && !last_candle_at) return null;
  return (
    <ul
      aria-label={sourceMessages.source}
      className="figures flex flex-wrap gap-x-5 gap-y-1 border-t border-line pt-4 text-sm text-ink-faint"
    >
      {last_candle_at && (
        <li>
          {sourceMessages.lastCandle}: <LocalTime iso={last_candle_at} focusable />
        </li>
      )}
      {analysed_at && (
        <li>
          {sourceMessages.analysed}: <LocalTime iso={analysed_at} focusable />
        </li>
      )}
      {facts.map((fact) => (
        <li key={fact}>{fact}</li>
      ))}
    </ul>
  );
}
