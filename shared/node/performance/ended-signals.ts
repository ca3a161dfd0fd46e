import { timeframeSchema } from "@shared/contract/candle.ts";
import { judgementSchema } from "@shared/contract/judgement.ts";
import { analysisSchema, outcomeSchema, signalSourceSchema } from "@shared/contract/signal.ts";
import type { ClientSession, mongo } from "mongoose";
import { z } from "zod";
import type { Database } from "../database.ts";
import type { Logger } from "../logger.ts";

/** Where ended signals are: with their users, and without any where a history was cleared. */
const COLLECTIONS = ["signals", "cleared_signals"] as const;

/** What the statistics read of a signal; nothing that tells whose it is. */
const endedSignalShape = z.object({
  symbol: z.string(),
  timeframe: timeframeSchema,
  status: z.enum(["completed", "failed"]),
  updatedAt: z.date(),
  finishedAt: z.date().optional(),
  outcome: outcomeSchema.optional(),
  judgement: judgementSchema
    .pick({
      reason: true,
      resolved_at: true,
      filled_at: true,
      fill: true,
      exit: true,
      r_multiple: true,
    })
    .optional(),
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
});
export type EndedSignal = z.infer<typeof endedSignalShape>;

const hasLevels = ({
  final_signal: kind,
  entry,
  stop_loss,
  take_profit,
}: EndedSignal["analysis"]) =>
  kind === "WAIT" || (entry !== null && stop_loss !== null && take_profit !== null);
const endedSignalSchema = endedSignalShape.refine(({ analysis }) => hasLevels(analysis));

const PROJECTION = {
  symbol: 1,
  timeframe: 1,
  status: 1,
  updatedAt: 1,
  finishedAt: 1,
  outcome: 1,
  "judgement.reason": 1,
  "judgement.resolved_at": 1,
  "judgement.filled_at": 1,
  "judgement.fill": 1,
  "judgement.exit": 1,
  "judgement.r_multiple": 1,
  "analysis.final_signal": 1,
  "analysis.confidence": 1,
  "analysis.calibrated_confidence": 1,
  "analysis.entry": 1,
  "analysis.stop_loss": 1,
  "analysis.take_profit": 1,
  "analysis.source.data": 1,
  "analysis.source.analyst": 1,
  "analysis.source.analyst_version": 1,
} as const;

export type SignalFilter = mongo.Filter<mongo.Document>;

interface ReadOptions {
  database: Database;
  logger: Logger;
  filter: SignalFilter;
  /** A snapshot session: a signal that is moved by a clearing meanwhile is read once. The database keeps it for 5 minutes. */
  session?: ClientSession;
  /** The newest resolved ones only, this many of each collection. */
  newest?: number;
}

/**
 * Ended signals that fit the filter, those of cleared histories too. One that has not the shape of a signal is logged
 * and left out: it must not take all statistics down.
 */
export async function* readEndedSignals(options: ReadOptions): AsyncGenerator<EndedSignal> {
  const { database, logger, filter, session, newest } = options;
  for (const name of COLLECTIONS) {
    const found = database.connection.collection(name).find(filter, {
      projection: PROJECTION,
      ...(session && { session, readConcern: { level: "snapshot" } }),
    });
    if (newest !== undefined) found.sort({ "judgement.resolved_at": -1 }).limit(newest);
    for await (const document of found) {
      const { success, data, error } = endedSignalSchema.safeParse(document);
      if (success) yield data;
      else logger.warn({ err: error, signalId: document._id }, "a signal could not be counted");
    }
  }
}

/** Runs `read` on the database as it stands at one moment. */
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
