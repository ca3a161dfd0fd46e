import type { Database } from "@shared/database/database.ts";
import { UNFINISHED } from "@shared/database/models/signal.ts";
import type { UnitOfWork } from "@shared/outbox/commit.ts";
import { type ClientSession, Types } from "mongoose";

/** Deletes signals of a user and their idempotency keys. The analyses stay, since they belong to the market. */
export async function deleteSignals(
  database: Database,
  { session }: Pick<UnitOfWork, "session">,
  { userId, signalIds }: { userId: Types.ObjectId; signalIds: readonly Types.ObjectId[] },
): Promise<void> {
  const ids = { $in: [...signalIds] };
  const imageAnalysisIds = await database.signals.distinct(
    "analysisId",
    { _id: ids, userId, chartImageId: { $exists: true } },
    { session },
  );
  await database.signals.deleteMany({ _id: ids, userId }, { session });
  await database.idempotencyKeys.deleteMany(
    { _id: { $regex: `^${userId}:` }, signalId: ids },
    { session },
  );
  await redactImageAnalyses(database, session, imageAnalysisIds);
}

/** Texts about a chart image may describe private content. The figures do not. */
const REDACTED = {
  "result.analysis.warnings": [],
  "result.analysis.raw_ai.rationale": "",
  "result.analysis.raw_ai.key_evidence": [],
  "result.analysis.raw_ai.market_condition": "",
  "result.analysis.raw_ai.what_to_watch_for": [],
} as const;

/** Names no image, but still tells an analysis of an image from one of the market. */
const DELETED_IMAGE_ID = new Types.ObjectId("000000000000000000000000");

async function redactImageAnalyses(
  database: Database,
  session: ClientSession,
  analysisIds: readonly Types.ObjectId[],
): Promise<void> {
  if (analysisIds.length === 0) return;
  const ids = { $in: [...analysisIds] };
  await database.jobs.deleteMany({ _id: ids }, { session });
  await database.marketAnalyses.deleteMany({ _id: ids, ...UNFINISHED }, { session });
  await database.marketAnalyses.updateMany(
    { _id: ids },
    { $set: { ...REDACTED, chartImageId: DELETED_IMAGE_ID }, $unset: { provenance: 1 } },
    { session },
  );
}
