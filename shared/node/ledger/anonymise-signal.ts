import { randomBytes } from "node:crypto";
import { commitTo } from "@shared/contract/ledger-hash.ts";
import type { Analysis } from "@shared/contract/signal.ts";
import { Types } from "mongoose";
import { z } from "zod";
import type { ClearedSignalRecord } from "../models/cleared-signal.ts";
import type { SignalRecord } from "../models/signal.ts";
import { privateContentOf } from "./describe-signal.ts";

/** A salt that nobody guesses, in hex. */
export const newSalt = (): string => randomBytes(32).toString("hex");

const receiptSchema = z.object({ candles: z.unknown() });

/**
 * What stays of a completed signal whose history is cleared, under an id that leads nowhere. It takes along a
 * commitment to its owner, without the salt: if the ledger has not recorded it yet, it is recorded like every other.
 */
export function anonymiseSignal(signal: SignalRecord, at: Date): ClearedSignalRecord {
  const { symbol, timeframe, createdAt, startedAt, analysis } = signal;
  const finishedAt = signal.finishedAt ?? signal.updatedAt;
  const { outcome, judgement, judgeAt, ledgerSeq, outcomeLedgerSeq } = signal;
  const receipt = receiptSchema.safeParse(signal.receipt).data;
  return {
    _id: new Types.ObjectId(),
    symbol,
    timeframe,
    status: "completed",
    createdAt,
    finishedAt,
    updatedAt: at,
    privateCommitment: commitTo(privateContentOf(signal), newSalt()),
    ...(startedAt && { startedAt }),
    ...(analysis && { analysis: withoutOwner(analysis) }),
    ...(outcome && { outcome }),
    ...(judgement && { judgement }),
    ...(judgeAt && { judgeAt }),
    ...(receipt && { receipt }),
    ...(ledgerSeq !== undefined && { ledgerSeq }),
    ...(outcomeLedgerSeq !== undefined && { outcomeLedgerSeq }),
  };
}

/** An analysis without the trader's amounts, and without words that may speak of his chart picture. */
function withoutOwner(analysis: Analysis): Analysis {
  return {
    ...analysis,
    warnings: [],
    suggested_units: 0,
    estimated_dollar_risk: 0,
    required_margin: 0,
    raw_ai: {
      confidence: analysis.raw_ai.confidence,
      rationale: "",
      key_evidence: [],
      market_condition: "",
      what_to_watch_for: [],
    },
  };
}
