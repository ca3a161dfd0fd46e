import { GENESIS_HASH, type LedgerEntry, type LedgerFigures } from "@shared/contract/ledger.ts";
import { commitTo, hashRecord, type UnhashedRecord } from "@shared/contract/ledger-verifier.ts";
import { DEFAULT_TRADING_COSTS } from "@shared/contract/resolution.ts";
import type { Outcome } from "@shared/contract/signal.ts";

/** A record to be made; `of` is the number of an earlier one. */
export type LedgerStep = { demo?: boolean; arm?: string } & (
  | { kind: "analysis"; revealed: boolean; figures?: Partial<LedgerFigures> }
  | { kind: "outcome"; of: number; outcome?: Outcome }
);

const START_MS = Date.UTC(2025, 0, 31);

const FIGURES: LedgerFigures = {
  symbol: "BTC/USDT",
  timeframe: "1h",
  class: "crypto",
  final_signal: "BUY",
  entry: 100,
  stop_loss: 98.5,
  take_profit: 103,
  confidence: 71.5,
  calibrated_confidence: null,
  suggested_hold: "4 to 12 hours",
  hold_candles: 12,
  valid_until: "2025-01-31T04:00:00.000Z",
  analyst: "rules",
  analyst_version: "rules/1",
  model: "rules",
  data: "live",
  provider: "kraken",
  price: 100.1,
  last_candle_at: "2025-01-31T00:00:00.000Z",
  candles_sha256: "ab".repeat(32),
  created_at: "2025-01-31T00:00:00.000Z",
  finished_at: "2025-01-31T00:00:01.000Z",
};

const saltOf = (seq: number): string => seq.toString(16).padStart(64, "c");

/** Makes a valid ledger of these records, one a second. */
export function makeLedger(steps: readonly LedgerStep[]): LedgerEntry[] {
  const entries: LedgerEntry[] = [];
  let head = GENESIS_HASH;
  for (const [index, step] of steps.entries()) {
    const seq = index + 1;
    const at = new Date(START_MS + seq * 1_000);
    const { content, reveal } = contentOf(step, seq, at);
    const record = { ...content, seq, at: at.toISOString(), prev_hash: head };
    head = hashRecord(record);
    entries.push({ record: { ...record, hash: head }, reveal });
  }
  return entries;
}

type Content =
  | Pick<Extract<UnhashedRecord, { kind: "analysis" }>, "kind" | "body">
  | Pick<Extract<UnhashedRecord, { kind: "outcome" }>, "kind" | "body">;

function contentOf(
  step: LedgerStep,
  seq: number,
  at: Date,
): { content: Content; reveal: LedgerEntry["reveal"] } {
  if (step.kind === "outcome") return { content: outcomeContent(step, at), reveal: null };
  const arm = step.arm === undefined ? {} : { arm: step.arm };
  const figures = { ...FIGURES, ...arm, ...step.figures };
  const salt = saltOf(seq);
  const body = {
    data: figures.data,
    figures_commitment: commitTo(figures, salt),
    ...(step.demo && { demo_record: true as const }),
    ...arm,
  };
  return { content: { kind: "analysis", body }, reveal: step.revealed ? { salt, figures } : null };
}

function outcomeContent(step: Extract<LedgerStep, { kind: "outcome" }>, at: Date): Content {
  const { of, outcome = "WIN" } = step;
  return {
    kind: "outcome",
    body: {
      analysis_seq: of,
      ...(step.demo && { demo_record: true as const }),
      ...(step.arm !== undefined && { arm: step.arm }),
      outcome,
      reason: outcome === "WIN" ? "target" : "stop",
      resolved_at: at.toISOString(),
      filled_at: at.toISOString(),
      fill: 100,
      exited_at: at.toISOString(),
      exit: outcome === "WIN" ? 103 : 98.5,
      r_multiple: outcome === "WIN" ? 1.95 : -1.05,
      max_favourable_r: 2,
      max_adverse_r: 0.5,
      costs: DEFAULT_TRADING_COSTS.crypto,
    },
  };
}
