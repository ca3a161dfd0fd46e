import { TIMEFRAME_MS } from "@shared/contract/market-data.ts";
import type { Analysis } from "@shared/contract/signal.ts";
import type { MarketAnalysisRecord } from "../database/models/market-analysis.ts";
import type { SignalRecord } from "../database/models/signal.ts";
import {
  endedEntryAnalysis,
  type FinishedAnalysis,
  missedEntryAnalysis,
  sizeAnalysis,
} from "./sizing.ts";

type Stored = Omit<MarketAnalysisRecord, "provenance">;

export function asFinished<Record extends Stored>(
  analysis: Record,
): (Record & FinishedAnalysis) | null {
  const { result, finishedAt } = analysis;
  return result && finishedAt ? { ...analysis, result, finishedAt } : null;
}

/** Whether the entry has to be checked before the analysis is used again: that of a trade that is not known to be over. */
export function needsEntryCheck(analysis: Stored): boolean {
  const { status, result, entryLeft, outcome } = analysis;
  const isTrade = status === "completed" && result?.analysis.final_signal !== "WAIT";
  return isTrade && !entryLeft && !outcome;
}

/** When its entry window ended; null while it is open. Only an event ends it before the next candle closes. */
export function entryEndOf({ result }: FinishedAnalysis, at: Date): Date | null {
  const { valid_until: validUntil } = result.analysis;
  const endsAt = validUntil ? new Date(validUntil) : null;
  return endsAt && endsAt <= at ? endsAt : null;
}

type Stake = Pick<SignalRecord, "amount" | "riskPercent" | "leverage">;

interface Reuse {
  /** Whether the entry was found to be valid at the time of the request. */
  isChecked: boolean;
  at: Date;
  /** Of events whose window contains `at`. */
  eventWarnings?: readonly string[];
}

/**
 * The analysis for a user who asks when it is finished already: a WAIT if its entry is missed, was not checked, or has
 * ended before a scheduled event.
 */
export function reusedAnalysis(
  analysis: Stored & FinishedAnalysis,
  stake: Stake,
  { isChecked, at, eventWarnings = [] }: Reuse,
): Analysis {
  const entryLeft = missedEntryOf(analysis);
  const endedAt = entryEndOf(analysis, at);
  if (!entryLeft && endedAt) return endedEntryAnalysis(analysis, { endedAt, eventWarnings });
  if (!entryLeft && (isChecked || !needsEntryCheck(analysis))) return sizeAnalysis(analysis, stake);
  const { candleClosedAt, timeframe } = analysis;
  const nextCloseAt = new Date(candleClosedAt.getTime() + TIMEFRAME_MS[timeframe]);
  return missedEntryAnalysis(analysis, { entryLeft, nextCloseAt });
}

/** Also of a trade that is over, whose end shows that its entry is missed. */
function missedEntryOf({
  entryLeft,
  resolution,
  result,
}: Stored & FinishedAnalysis): NonNullable<Stored["entryLeft"]> | null {
  if (entryLeft) return entryLeft;
  const price = resolution?.exit ?? result.analysis.entry;
  return resolution && price !== null ? { price, at: new Date(resolution.resolved_at) } : null;
}
