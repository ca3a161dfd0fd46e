import { IMAGE_ANALYSIS_CREDITS, MAX_REFUSAL_REFUNDS } from "@shared/contract/constants.ts";
import type { Database } from "@shared/database/database.ts";
import type { SignalRecord } from "@shared/database/models/signal.ts";
import { changeCredits } from "@shared/domain/credits.ts";
import type { UnitOfWork } from "@shared/outbox/commit.ts";
import type { Types } from "mongoose";

const REFUSAL_CHARGED = `The image credit was not refunded: chart images that the model declines are refunded at most ${MAX_REFUSAL_REFUNDS} times a day.`;

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

/** @returns the signal with the warning that its credit is not refunded */
export async function warnOfCharge(
  database: Database,
  { session }: Pick<UnitOfWork, "session">,
  signal: SignalRecord,
): Promise<SignalRecord> {
  const { _id, analysis } = signal;
  if (!analysis) throw new Error("A failed signal has no analysis.");
  const warnings = [...analysis.warnings, REFUSAL_CHARGED];
  await database.signals.updateOne(
    { _id },
    { $set: { "analysis.warnings": warnings } },
    { session },
  );
  return { ...signal, analysis: { ...analysis, warnings } };
}

/** Gives back the credit of a chart image that was not analysed. */
export async function refundCredit(
  database: Database,
  uow: UnitOfWork,
  { _id, userId, symbol }: SignalRecord,
  isRefusal: boolean,
): Promise<void> {
  await changeCredits(database, uow, {
    userId,
    kind: "refund",
    amount: IMAGE_ANALYSIS_CREDITS,
    by: "system",
    why: isRefusal
      ? `The model declined a chart image of ${symbol}. At most ${MAX_REFUSAL_REFUNDS} are refunded a day.`
      : `No analysis came of a chart image of ${symbol}.`,
    signalId: _id,
    ...(isRefusal && { isRefusal }),
  });
}
