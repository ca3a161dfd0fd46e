import { ENOUGH_SIGNALS } from "@shared/contract/constants.ts";
import { edgeStatement } from "@shared/contract/edge-statement.ts";
import type { Performance, Reliability } from "@shared/contract/performance.ts";

/** A measured fact, and the trades that it is measured on. */
export interface RecordFact {
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
