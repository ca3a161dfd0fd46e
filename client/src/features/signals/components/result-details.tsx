import { MESSAGES } from "@shared/contract/messages.ts";
import type { Analysis } from "@shared/contract/signal.ts";
import {
  formatChange,
  formatDuration,
  formatPrice,
  formatUnits,
  formatUsd,
} from "../../../lib/format.ts";
import { lazyComponent } from "../../../ui/lazy-component.tsx";
import { LocalTime } from "../../../ui/local-time.tsx";
import { distancePercent, rewardToRisk, type TradeLevels } from "../levels.ts";
import { rationaleContent } from "../rationale.ts";
import { unitName } from "../symbols.ts";
import { PriceLevels, Section } from "./signal-parts.tsx";

interface ResultLevelsProps {
  levels: TradeLevels;
  lastPrice: number | null;
}

export function ResultLevels({ levels, lastPrice }: ResultLevelsProps) {
  const ratio = rewardToRisk(levels);
  const entryNote =
    lastPrice === null
      ? ""
      : `${formatChange(distancePercent(lastPrice, levels.entry))} from last price`;
  return (
    <section className="flex flex-col gap-4">
      <PriceLevels levels={levels} entryNote={entryNote} stacked />
      {ratio !== null && (
        <div aria-hidden className="flex h-1.5 gap-0.5 overflow-hidden rounded-full">
          <div className="bg-sell" style={{ flexGrow: 1 }} />
          <div className="bg-buy" style={{ flexGrow: ratio }} />
        </div>
      )}
    </section>
  );
}

const ContractSizeNote = lazyComponent(
  () => import("./contract-size-note.tsx"),
  "ContractSizeNote",
);

export function ResultSizing({ symbol, analysis }: { symbol: string; analysis: Analysis }) {
  const { suggested_units: units, estimated_dollar_risk, required_margin } = analysis;
  const facts = [
    { label: "Position size", value: `${formatUnits(units)} ${unitName(symbol)}` },
    { label: "Dollar risk", value: formatUsd(estimated_dollar_risk) },
    { label: "Required margin", value: formatUsd(required_margin) },
  ];
  return (
    <div className="flex flex-col gap-2">
      <dl
        aria-label="Position"
        className="grid divide-y divide-line rounded-control border border-line sm:grid-cols-3 sm:divide-x sm:divide-y-0"
      >
        {facts.map(({ label, value }) => (
          <div key={label} className="flex items-baseline justify-between gap-4 px-4 py-3 sm:block">
            <dt className="text-sm text-ink-muted">{label}</dt>
            <dd className="figures font-medium sm:mt-1">{value}</dd>
          </div>
        ))}
      </dl>
      <ContractSizeNote symbol={symbol} units={units} />
    </div>
  );
}

export function ResultReasons({ analysis }: { analysis: Analysis }) {
  const { raw_ai, suggested_hold, trade_duration_text } = analysis;
  return (
    <div className="grid gap-x-10 gap-y-6 lg:grid-cols-2">
      <Section
        heading="h3"
        title="Rationale"
        content={rationaleContent(raw_ai.rationale)}
        className="lg:col-span-2"
      />
      <Section heading="h3" title="Key evidence" content={raw_ai.key_evidence} />
      <Section heading="h3" title="What to watch for" content={raw_ai.what_to_watch_for} />
      <div className="grid gap-x-10 gap-y-6 sm:grid-cols-3 lg:col-span-2">
        <Section heading="h3" title="Market condition" content={raw_ai.market_condition} />
        <Section heading="h3" title="Suggested hold" content={suggested_hold} />
        <Section heading="h3" title="Expected duration" content={trade_duration_text} />
      </div>
    </div>
  );
}

const dataNames = { live: "Live data:", replay: MESSAGES.demoDataPrefix } as const;
const analystNames = { openai: "AI model:", rules: MESSAGES.ruleBasedPrefix } as const;

export function ResultSource({ analysis }: { analysis: Analysis }) {
  const { source, delivery_delay_ms: delayMs } = analysis;
  const { data, provider, analyst, model, last_candle_at, analysed_at, price } = source;
  const facts = [
    data === "none" ? "" : `${dataNames[data]} ${provider}`,
    analyst === "none" ? "" : `${analystNames[analyst]} ${model}`,
    price === null ? "" : `Last price: ${formatPrice(price)}`,
    delayMs === undefined ? "" : `Ready ${formatDuration(delayMs)} after candle close`,
  ].filter((fact) => fact !== "");
  if (facts.length === 0 && !last_candle_at) return null;
  return (
    <ul
      aria-label="Source"
      className="figures flex flex-wrap gap-x-5 gap-y-1 border-t border-line pt-4 text-sm text-ink-faint"
    >
      {last_candle_at && (
        <li>
          Last candle: <LocalTime iso={last_candle_at} focusable />
        </li>
      )}
      {analysed_at && (
        <li>
          Analyzed: <LocalTime iso={analysed_at} focusable />
        </li>
      )}
      {facts.map((fact) => (
        <li key={fact}>{fact}</li>
      ))}
    </ul>
  );
}
