import { IMAGE_ANALYSIS_CREDITS, MAX_REFUSAL_REFUNDS } from "@shared/contract/constants.ts";
import { MESSAGES } from "@shared/contract/messages.ts";
import { type Database, nativeCollection } from "@shared/database/database.ts";
import type { SignalRecord } from "@shared/database/models/signal.ts";
import { changeCredits } from "@shared/domain/credits.ts";
import type { UnitOfWork } from "@shared/outbox/commit.ts";
import type { Types } from "mongoose";

/** Concurrent refunds conflict if the transaction also adds an event for the user. */
export async function hasUsedRefusalRefunds(
  database: Database,
  { session, at }: Pick<UnitOfWork, "session" | "at">,
  userId: Types.ObjectId,
): Promise<boolean> {
  const startOfDay = new Date(at.toISOString().slice(0, 10));
  const refunded = await database.creditEntries
    .countDocuments({ userId, at: { $gte: startOfDay }, isRefusal: true })
    .session(session);
  return refunded >= MAX_REFUSAL_REFUNDS;
}

export async function warnOfCharge(
  database: Database,
  { session }: Pick<UnitOfWork, "session">,
  signal: SignalRecord,
): Promise<SignalRecord> {
  const { _id, analysis } = signal;
  if (!analysis) throw new Error("A failed signal has no analysis.");
  const warnings = [...analysis.warnings, MESSAGES.refusalCharged];
  await nativeCollection(database.signals).updateOne(
    { _id },
    { $set: { "analysis.warnings": warnings } },
    { session },
  );
  return { ...signal, analysis: { ...analysis, warnings } };
}

export async function refundCredit(
  database: Database,
  uow: UnitOfWork,
  { signal, isRefusal }: { signal: SignalRecord; isRefusal: boolean },
): Promise<void> {
  const { _id, userId, symbol } = signal;
  await changeCredits(database, uow, {
    userId,
    kind: "refund",
    amount: IMAGE_ANALYSIS_CREDITS,
    by: "system",
    why: isRefusal
      ? `The model gave no usable answer to a chart image of ${symbol}. At most ${MAX_REFUSAL_REFUNDS} are refunded a day.`
      : `No analysis came of a chart image of ${symbol}.`,
    signalId: _id,
    ...(isRefusal && { isRefusal }),
  });
}
