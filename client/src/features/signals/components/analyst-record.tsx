import { ENOUGH_SIGNALS } from "@shared/contract/constants.ts";
import { edgeStatement } from "@shared/contract/edge-statement.ts";
import type { Performance, PerformanceQuery, Reliability } from "@shared/contract/performance.ts";
import type { Analysis, SignalSource } from "@shared/contract/signal.ts";
import { useQuery } from "@tanstack/react-query";
import { performanceParams, performanceQuery } from "../../../lib/performance-query.ts";
import { TextLink } from "../../../ui/button.tsx";
import { Skeleton } from "../../../ui/card.tsx";

const texts = {
  titles: {
    live: "Record of this analyst version, live data",
    replay: "Record of this analyst version, demo data",
  },
  details: "Details",
  loading: "Loading the record",
  failed: "The record is unavailable.",
  none: "No record yet. This analyst version has no won or lost trades, so neither its confidence nor an edge over chance has been measured.",
} as const;

/**
 * Room for two facts, or for the edge alone, by the width of the panel, with a line to spare where fonts may wrap
 * differently: nothing moves when the record arrives.
 */
const heights = {
  stated: "min-h-59 @[18rem]:min-h-49 @md:min-h-40 @2xl:min-h-30",
  calibrated: "min-h-47 @[18rem]:min-h-40 @md:min-h-30 @2xl:min-h-23",
} as const;

/** What has been measured of an analyst version. */
export function AnalystRecordPanel({ record }: { record: AnalystRecord }) {
  const title = texts.titles[record.data];
  const height = record.isCalibrated ? heights.calibrated : heights.stated;
  return (
    <div className="@container">
      <section
        aria-label={title}
        className={`figures flex flex-col gap-2 rounded-control border border-line bg-canvas px-4 py-3 text-sm ${height}`}
      >
        <div className="flex items-baseline justify-between gap-4 text-xs text-ink-faint">
          <h3>{title}</h3>
          <TextLink to={record.address}>{texts.details}</TextLink>
        </div>
        <RecordContent record={record} />
      </section>
    </div>
  );
}

function RecordContent({ record: { state, facts } }: { record: AnalystRecord }) {
  if (state === "loading") {
    return (
      <div role="status" aria-label={texts.loading} className="flex flex-col gap-2.5 pt-1">
        <Skeleton className="h-4 w-3/5" />
        <Skeleton className="h-4 w-4/5" />
      </div>
    );
  }
  if (state === "failed") return <p className="text-ink-muted">{texts.failed}</p>;
  if (facts.length === 0) return <p className="text-ink-muted">{texts.none}</p>;
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

/** The measured record of the analyst version that made a signal. */
export interface AnalystRecord {
  data: PerformanceQuery["data"];
  /** Whether the signal's confidence is calibrated, so that it needs no comparison. */
  isCalibrated: boolean;
  state: "loading" | "loaded" | "failed";
  facts: RecordFact[];
  /** Address of the same record on the performance page. */
  address: string;
}

type RecordedAnalysis = Pick<
  Analysis,
  "final_signal" | "confidence" | "calibrated_confidence" | "source"
>;

/** Reads the record of a signal's analyst version; null for a WAIT, which has no outcome, and where nobody analysed. */
export function useAnalystRecord(analysis: RecordedAnalysis): AnalystRecord | null {
  const query = analysis.final_signal === "WAIT" ? null : recordQueryOf(analysis.source);
  const { data: record, isError } = useQuery({
    ...performanceQuery(query ?? { data: "live", period: "all" }),
    enabled: query !== null,
  });
  if (query === null) return null;
  const { confidence, calibrated_confidence: calibrated } = analysis;
  const isCalibrated = typeof calibrated === "number";
  const address = `/performance?${performanceParams(query)}`;
  const known = { data: query.data, isCalibrated, address };
  if (!record) return { ...known, state: isError ? "failed" : "loading", facts: [] };
  return { ...known, state: "loaded", facts: recordFacts(record, { confidence, isCalibrated }) };
}

function recordQueryOf({ data, analyst, analyst_version }: SignalSource): PerformanceQuery | null {
  if (data === "none" || analyst === "none" || analyst_version === undefined) return null;
  return { data, analyst, version: analyst_version, period: "all" };
}

/** A measured fact, and the trades that it is measured on. */
interface RecordFact {
  trades: string;
  text: string;
}

type MeasuredRecord = Pick<Performance, "confidence" | "lift" | "effective_trades">;

const ALL_TRADES = "All trades";

/**
 * The measured record beside a signal's confidence, and whether it shows an edge. An uncalibrated confidence is compared
 * with the trades of a similar one if they are enough for a rate, otherwise with all; empty while none was won or lost.
 * @param signal.confidence as stated, 0 to 100
 */
export function recordFacts(
  record: MeasuredRecord,
  signal: { confidence: number; isCalibrated: boolean },
): RecordFact[] {
  if (record.confidence.decided === 0) return [];
  const edge = { trades: ALL_TRADES, text: edgeStatement(record) };
  if (signal.isCalibrated) return [edge];
  return [statedAndWon(record.confidence, signal.confidence), edge];
}

function statedAndWon(record: Reliability, confidence: number): RecordFact {
  const similar = record.buckets.find(
    ({ from, to }) => confidence >= from && (confidence < to || to === 100),
  );
  if (similar && similar.decided >= ENOUGH_SIGNALS) {
    const trades = `Trades at ${similar.from}–${similar.to}%, on average`;
    return { trades, text: rates(similar) };
  }
  const all = allTrades(record);
  if (all.decided < ENOUGH_SIGNALS) {
    return { trades: "Won or lost so far", text: `won ${all.wins} of ${all.decided}` };
  }
  return { trades: `${ALL_TRADES}, on average`, text: rates(all) };
}

type StatedTrades = Pick<Reliability["buckets"][number], "decided" | "wins" | "stated">;

const percent = (share: number): string => `${Math.round(100 * share)}%`;

const rates = ({ decided, wins, stated }: StatedTrades): string =>
  `stated ${percent(stated)}, won ${percent(wins / decided)} of ${decided}`;

function allTrades({ decided, buckets }: Reliability): StatedTrades {
  const wins = buckets.reduce((sum, bucket) => sum + bucket.wins, 0);
  const stated = buckets.reduce((sum, bucket) => sum + bucket.stated * bucket.decided, 0);
  return { decided, wins, stated: stated / decided };
}
