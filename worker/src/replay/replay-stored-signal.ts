import type { Database } from "@shared/node/database.ts";
import { asFinished } from "@shared/node/signals/queue-signal.ts";
import { sizeAnalysis } from "@shared/node/signals/size-analysis.ts";
import { isValidObjectId } from "mongoose";
import { signalReceiptSchema } from "../signals/receipt.ts";
import { type Replay, replaySignal } from "./replay-signal.ts";

const impossible = (reason: string): Replay => ({ verdict: "impossible", reason });

/**
 * Recomputes a signal of the database from what is stored of it. Of a signal whose entry was missed when it was asked for,
 * the analysis is recomputed that it refers to.
 */
export async function replayStoredSignal(database: Database, signalId: string): Promise<Replay> {
  const isId = isValidObjectId(signalId);
  const signal = isId ? await database.signals.findById(signalId).lean() : null;
  if (!signal) return impossible("There is no such signal.");
  if (signal.status === "failed") return impossible("It failed: there is nothing to recompute.");
  const { analysis } = signal;
  if (!analysis) return impossible(`It is not finished yet (${signal.status}).`);
  const made = await database.marketAnalyses.findById(signal.analysisId).lean();
  const receipt = signalReceiptSchema.safeParse(made?.receipt);
  if (!receipt.success) {
    return impossible("Its receipt is missing, or of a version of the product that wrote others.");
  }
  const stored = await database.analysisCandles.findById(signal.analysisId).lean();
  if (!stored || stored.candles.length === 0) return impossible("Its candles are not stored.");
  const finished = made && asFinished(made);
  const isMissed = analysis.final_signal !== finished?.result.analysis.final_signal;
  const given = finished && isMissed ? sizeAnalysis(finished, signal) : analysis;
  return replaySignal({ signal, analysis: given, receipt: receipt.data, candles: stored.candles });
}
