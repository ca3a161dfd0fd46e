import type { Judgement } from "@shared/contract/judgement.ts";
import type { ClientSession, Types } from "mongoose";
import type { Database } from "../database.ts";
import { LEDGER_BATCH_SIZE } from "./batch-size.ts";
import type { LedgerWrite } from "./ledger-chain.ts";
import { numberSignals, type SignalCollection, type SignalNumber } from "./number-signals.ts";

/** An outcome that the ledger does not hold, and where its signal is. */
interface Unrecorded {
  from: SignalCollection;
  signalId: Types.ObjectId;
  signalSeq: number;
  judgement: Judgement;
}

/** Judgements of recorded signals that are not recorded themselves. */
export async function findUnrecordedOutcomes(
  database: Database,
  session: ClientSession,
): Promise<Unrecorded[]> {
  const wanted = {
    outcome: { $exists: true },
    judgement: { $exists: true },
    outcomeLedgerSeq: null,
    ledgerSeq: { $gt: 0 },
  };
  const options = { sort: { ledgerSeq: 1 }, limit: LEDGER_BATCH_SIZE, session } as const;
  const fields = { ledgerSeq: 1, judgement: 1 } as const;
  const kept = await database.signals.find(wanted, fields, options).lean();
  const cleared = await database.clearedSignals.find(wanted, fields, options).lean();
  return [...judged("signals", kept), ...judged("clearedSignals", cleared)];
}

function judged(
  from: SignalCollection,
  found: { _id: Types.ObjectId; ledgerSeq?: number; judgement?: Judgement }[],
): Unrecorded[] {
  return found.flatMap(({ _id, ledgerSeq, judgement }) =>
    ledgerSeq !== undefined && judgement
      ? [{ from, signalId: _id, signalSeq: ledgerSeq, judgement }]
      : [],
  );
}

/** Records each of these outcomes and unseals the figures of its signal. */
export async function recordOutcomes(on: LedgerWrite, found: readonly Unrecorded[]): Promise<void> {
  if (found.length === 0) return;
  const { database, session, chain } = on;
  const numbers: SignalNumber[] = [];
  for (const { from, signalId, signalSeq, judgement } of found) {
    const body = { signal_seq: signalSeq, ...judgement };
    const outcomeLedgerSeq = chain.add({ kind: "outcome", body });
    numbers.push({ from, _id: signalId, set: { outcomeLedgerSeq } });
  }
  const signals = { _id: { $in: found.map(({ signalSeq }) => signalSeq) } };
  const publicAt = new Date(chain.at);
  await database.ledgerReveals.updateMany(signals, { $set: { publicAt } }, { session });
  await numberSignals(on, numbers);
}
