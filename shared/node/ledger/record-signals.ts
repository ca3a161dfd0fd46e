import type { LedgerFigures } from "@shared/contract/ledger.ts";
import { commitTo } from "@shared/contract/ledger-hash.ts";
import type { ClientSession } from "mongoose";
import type { Database } from "../database.ts";
import type { ClearedSignalRecord } from "../models/cleared-signal.ts";
import type { LedgerRevealRecord } from "../models/ledger.ts";
import type { SignalRecord } from "../models/signal.ts";
import { newSalt } from "./anonymise-signal.ts";
import { LEDGER_BATCH_SIZE } from "./batch-size.ts";
import { figuresOf, privateContentOf, type Recordable } from "./describe-signal.ts";
import type { LedgerWrite } from "./ledger-chain.ts";
import { numberSignals, type SignalNumber } from "./number-signals.ts";

/** How long the figures of a WAIT stay sealed; those of a trade are until it is judged. */
const WAIT_SEALED_MS = 24 * 60 * 60_000;

/** A finished signal that the ledger does not hold, and where it is. */
type Unrecorded =
  | { from: "signals"; signal: SignalRecord }
  | { from: "clearedSignals"; signal: ClearedSignalRecord };

/** Completed signals that are not recorded, the first finished first; cleared ones among them like all others. */
export async function findUnrecordedSignals(
  database: Database,
  session: ClientSession,
): Promise<Unrecorded[]> {
  const wanted = { status: "completed", ledgerSeq: null } as const;
  const order = { finishedAt: 1, _id: 1 } as const;
  const options = { sort: order, limit: LEDGER_BATCH_SIZE, session };
  const kept = await database.signals.find(wanted, null, options).lean();
  const cleared = await database.clearedSignals.find(wanted, null, options).lean();
  return [
    ...kept.map((signal) => ({ from: "signals", signal }) as const),
    ...cleared.map((signal) => ({ from: "clearedSignals", signal }) as const),
  ]
    .sort((a, b) => finishedMs(a.signal) - finishedMs(b.signal))
    .slice(0, LEDGER_BATCH_SIZE);
}

const finishedMs = ({ finishedAt, updatedAt }: Recordable): number =>
  (finishedAt ?? updatedAt).getTime();

/** Records each of these signals, keeps what opens its commitments, and writes its number on it. */
export async function recordSignals(on: LedgerWrite, found: readonly Unrecorded[]): Promise<void> {
  if (found.length === 0) return;
  const { database, session, chain } = on;
  const numbers: SignalNumber[] = [];
  const reveals: LedgerRevealRecord[] = [];
  for (const one of found) {
    const figures = figuresOf(one.signal);
    const salt = newSalt();
    const figuresCommitment = commitTo(figures, salt);
    const seal = sealOwner(one);
    const seq = chain.add({
      kind: "signal",
      body: {
        data: figures.data,
        figures_commitment: figuresCommitment,
        private_commitment: seal.commitment,
      },
    });
    const set = { ledgerSeq: seq, ...(seal.salt && { ledgerSalt: seal.salt }) };
    numbers.push({ from: one.from, _id: one.signal._id, set });
    reveals.push({ _id: seq, salt, figures, ...(isWait(figures) && sealedUntil(chain.at)) });
  }
  await database.ledgerReveals.insertMany(reveals, { session });
  await numberSignals(on, numbers);
}

const isWait = (figures: LedgerFigures): boolean => figures.final_signal === "WAIT";

const sealedUntil = (at: string) => ({ publicAt: new Date(Date.parse(at) + WAIT_SEALED_MS) });

/** The commitment to whose signal it is, and its salt where its owner may still open it. */
function sealOwner({ from, signal }: Unrecorded): { commitment: string; salt?: string } {
  if (from === "clearedSignals") return { commitment: signal.privateCommitment };
  const salt = newSalt();
  return { commitment: commitTo(privateContentOf(signal), salt), salt };
}
