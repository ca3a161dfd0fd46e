import { timeframeSchema } from "@shared/contract/candle.ts";
import { resolutionSchema } from "@shared/contract/resolution.ts";
import { analysisSchema, outcomeSchema, signalSourceSchema } from "@shared/contract/signal.ts";
import type { Database } from "@shared/database/database.ts";
import type { Logger } from "@shared/runtime/logger.ts";
import type { ClientSession, mongo } from "mongoose";
import { z } from "zod";

const closedAnalysisShape = z.object({
  symbol: z.string(),
  timeframe: timeframeSchema,
  status: z.enum(["completed", "failed"]),
  finishedAt: z.date(),
  outcome: outcomeSchema.optional(),
  resolution: resolutionSchema
    .pick({
      reason: true,
      resolved_at: true,
      filled_at: true,
      fill: true,
      exit: true,
      r_multiple: true,
    })
    .optional(),
  result: z.object({
    analysis: analysisSchema
      .pick({
        final_signal: true,
        confidence: true,
        calibrated_confidence: true,
        entry: true,
        stop_loss: true,
        take_profit: true,
      })
      .extend({
        source: signalSourceSchema.pick({ data: true, analyst: true, analyst_version: true }),
      }),
  }),
});
export type ClosedAnalysis = z.infer<typeof closedAnalysisShape>;

const closedAnalysisSchema = closedAnalysisShape.refine(
  ({ result: { analysis } }) =>
    analysis.final_signal === "WAIT" ||
    (analysis.entry !== null && analysis.stop_loss !== null && analysis.take_profit !== null),
);

const PROJECTION = { provenance: 0, "result.analysis.raw_ai": 0 } as const;

export type AnalysisFilter = mongo.Filter<mongo.Document>;

interface ReadOptions {
  database: Database;
  logger: Logger;
  filter: AnalysisFilter;
  /** A snapshot session. The database keeps the snapshot for 5 minutes. */
  session?: ClientSession;
  /** Only the most recently resolved trades. */
  newest?: number;
}

/** Reads the finished analyses that match the filter. One with an invalid shape is logged and skipped. */
export async function* readClosedAnalyses(options: ReadOptions): AsyncGenerator<ClosedAnalysis> {
  const { database, logger, filter, session, newest } = options;
  const found = database.marketAnalyses.collection.find(filter, {
    projection: PROJECTION,
    ...(session && { session, readConcern: { level: "snapshot" } }),
  });
  if (newest !== undefined) found.sort({ "resolution.resolved_at": -1 }).limit(newest);
  for await (const document of found) {
    const { success, data, error } = closedAnalysisSchema.safeParse(document);
    if (success) yield data;
    else logger.warn({ err: error, analysisId: document._id }, "an analysis could not be counted");
  }
}

export async function readSnapshot<Result>(
  database: Database,
  read: (session: ClientSession) => Promise<Result>,
): Promise<Result> {
  const session = await database.connection.startSession({ snapshot: true });
  try {
    return await read(session);
  } finally {
    await session.endSession();
  }
}
