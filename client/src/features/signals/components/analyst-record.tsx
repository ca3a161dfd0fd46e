import { MIN_SIGNALS } from "@shared/contract/constants.ts";
import { type EdgeMetrics, edgeStatement } from "@shared/contract/edge-statement.ts";
import type { PerformanceQuery, Reliability } from "@shared/contract/performance.ts";
import type { Analysis } from "@shared/contract/signal.ts";
import { useQuery } from "@tanstack/react-query";
import { performanceParams, performanceQuery } from "../../../domain/performance-query.ts";
import { TextLink } from "../../../ui/button.tsx";
import { Skeleton } from "../../../ui/card.tsx";

/** Space for two facts, or for the edge alone, by the width of the panel: nothing moves when the record arrives. */
const heights = {
  stated: "min-h-64 @[18rem]:min-h-54 @md:min-h-45 @2xl:min-h-35",
  calibrated: "min-h-52 @[18rem]:min-h-45 @md:min-h-35 @2xl:min-h-28",
} as const;

export type RecordedAnalysis = Pick<
  Analysis,
  "final_signal" | "confidence" | "calibrated_confidence" | "source"
>;

/** Which trades are compared with a signal: those of the same analyst version and model. A WAIT has no outcome. */
export function recordQueryOf({ final_signal, source }: RecordedAnalysis): PerformanceQuery | null {
  const { data, analyst, analyst_version: version, model } = source;
  const isMeasured = data !== "none" && analyst !== "none" && version !== undefined;
  if (final_signal === "WAIT" || !isMeasured) return null;
  return { data, analyst, version, model, period: "all" };
}

export function AnalystRecord({ analysis }: { analysis: RecordedAnalysis }) {
  const query = recordQueryOf(analysis);
  if (!query) return null;
  const { confidence, calibrated_confidence: calibrated } = analysis;
  const signal = { confidence, isCalibrated: typeof calibrated === "number" };
  return <LoadedRecord query={query} signal={signal} />;
}

function LoadedRecord({ query, signal }: { query: PerformanceQuery; signal: StatedConfidence }) {
  const { data, isError } = useQuery(performanceQuery(query));
  const facts = data && recordFacts(data, signal);
  return (
    <RecordPanel query={query} isCalibrated={signal.isCalibrated} facts={facts} isError={isError} />
  );
}

export interface RecordPanelProps {
  query: PerformanceQuery;
  isCalibrated: boolean;
  facts: RecordFact[] | undefined;
  isError: boolean;
}

export function RecordPanel({ query, isCalibrated, facts, isError }: RecordPanelProps) {
  const title = `Record of this analyst version, ${query.data === "live" ? "live" : "demo"} data`;
  return (
    <div className="@container">
      <section
        aria-label={title}
        className={`figures flex flex-col gap-2 rounded-control border border-line bg-canvas px-4 py-3 text-sm ${heights[isCalibrated ? "calibrated" : "stated"]}`}
      >
        <div className="flex items-baseline justify-between gap-4 text-xs text-ink-faint">
          <h3>{title}</h3>
          <TextLink to={`/performance?${performanceParams(query)}`}>Details</TextLink>
        </div>
        {facts && <Facts facts={facts} />}
        {!facts && isError && <p className="text-ink-muted">The record is unavailable.</p>}
        {!facts && !isError && (
          <div role="status" aria-label="Loading the record" className="flex flex-col gap-2.5 pt-1">
            <Skeleton className="h-4 w-3/5" />
            <Skeleton className="h-4 w-4/5" />
          </div>
        )}
      </section>
    </div>
  );
}

function Facts({ facts }: { facts: RecordFact[] }) {
  if (facts.length === 0) {
    return (
      <p className="text-ink-muted">
        No record yet. This analyst version has no won or lost trades, so neither its confidence nor
        an edge over chance has been measured.
      </p>
    );
  }
  return (
    <dl className="grid gap-x-4 gap-y-2 @2xl:grid-cols-[13rem_1fr]">
      {facts.map(({ trades, text }) => (
        <div key={trades} className="@2xl:contents">
          <dt className="text-ink-faint">{trades}</dt>
          <dd className="text-pretty">{text}</dd>
        </div>
      ))}
    </dl>
  );
}

interface StatedConfidence {
  confidence: number;
  /** A calibrated confidence needs no comparison with the record. */
  isCalibrated: boolean;
}

interface RecordFact {
  trades: string;
  text: string;
}

type StatedRecord = Pick<Reliability, "decided" | "buckets">;

export type MeasuredRecord = EdgeMetrics & { confidence: StatedRecord };

const ALL_TRADES = "All trades";

/** Compares an uncalibrated confidence with trades of a similar one if there are enough, otherwise with all. */
export function recordFacts(record: MeasuredRecord, signal: StatedConfidence): RecordFact[] {
  if (record.confidence.decided === 0) return [];
  const edge = { trades: ALL_TRADES, text: edgeStatement(record) };
  if (signal.isCalibrated) return [edge];
  return [statedAndWon(record.confidence, signal.confidence), edge];
}

function statedAndWon(record: StatedRecord, confidence: number): RecordFact {
  const similar = similarTrades(record, confidence);
  if (!similar) {
    const { wins, decided } = allTrades(record);
    return { trades: "Won or lost so far", text: `won ${wins} of ${decided}` };
  }
  const { range } = similar;
  const trades = range ? `Trades at ${range.from}–${range.to}%` : ALL_TRADES;
  return { trades: `${trades}, on average`, text: rates(similar) };
}

interface SimilarTrades extends StatedTrades {
  /** Absent where all trades are compared. */
  range?: { from: number; to: number };
}

/** The trades of a similar confidence if enough of them have ended, otherwise all; null if these are too few, too. */
export function similarTrades(record: StatedRecord, confidence: number): SimilarTrades | null {
  const bucket = record.buckets.find(
    ({ from, to }) => confidence >= from && (confidence < to || to === 100),
  );
  if (bucket && bucket.decided >= MIN_SIGNALS) {
    const { from, to, ...trades } = bucket;
    return { ...trades, range: { from, to } };
  }
  const all = allTrades(record);
  return all.decided < MIN_SIGNALS ? null : all;
}

type StatedTrades = Pick<Reliability["buckets"][number], "decided" | "wins" | "stated">;

const percent = (share: number): string => `${Math.round(100 * share)}%`;

const rates = ({ decided, wins, stated }: StatedTrades): string =>
  `stated ${percent(stated)}, won ${percent(wins / decided)} of ${decided}`;

function allTrades({ decided, buckets }: StatedRecord): StatedTrades {
  const wins = buckets.reduce((sum, bucket) => sum + bucket.wins, 0);
  const stated = buckets.reduce((sum, bucket) => sum + bucket.stated * bucket.decided, 0);
  return { decided, wins, stated: stated / decided };
}
