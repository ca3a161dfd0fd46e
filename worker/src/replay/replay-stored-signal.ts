import type { Database } from "@shared/node/database.ts";
import { isValidObjectId } from "mongoose";
import { signalReceiptSchema } from "../signals/receipt.ts";
import { type Replay, replaySignal } from "./replay-signal.ts";

const impossible = (reason: string): Replay => ({ verdict: "impossible", reason });

/** Recomputes a signal of the database from what is stored of it. */
export async function replayStoredSignal(database: Database, signalId: string): Promise<Replay> {
  const isId = isValidObjectId(signalId);
  const signal = isId ? await database.signals.findById(signalId).lean() : null;
  if (!signal) return impossible("There is no such signal.");
  if (signal.status === "failed") return impossible("It failed: there is nothing to recompute.");
  const { analysis } = signal;
  if (!analysis) return impossible(`It is not finished yet (${signal.status}).`);
  const receipt = signalReceiptSchema.safeParse(signal.receipt);
  if (!receipt.success) {
    return impossible("Its receipt is missing, or of a version of the product that wrote others.");
  }
  const stored = await database.signalCandles.findById(signal._id).lean();
  if (!stored || stored.candles.length === 0) return impossible("Its candles are not stored.");
  return replaySignal({ signal, analysis, receipt: receipt.data, candles: stored.candles });
}
