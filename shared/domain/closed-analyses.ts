import { timeframeSchema } from "@shared/contract/candle.ts";
import { instrumentClass } from "@shared/contract/instruments.ts";
import type { PerformanceQuery } from "@shared/contract/performance.ts";
import { resolutionSchema } from "@shared/contract/resolution.ts";
import { analysisSchema, outcomeSchema, signalSourceSchema } from "@shared/contract/signal.ts";
import type { MarketDataSource } from "@shared/contract/status.ts";
import type { ClientSession, mongo } from "mongoose";
import { z } from "zod";
import type { Database } from "../database/database.ts";
import type { RecordedKind } from "../database/models/performance.ts";
import type { Logger } from "../runtime/logger.ts";

/** What the statistics read of an analysis. */
const endedAnalysisShape = z.object({
  symbol: z.string(),
  timeframe: timeframeSchema,
  status: z.enum(["completed", "failed"]),
  finishedAt: z.date(),
  outcome: outcomeSchema.optional(),
  judgement: resolutionSchema
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
export type ClosedAnalysis = z.infer<typeof endedAnalysisShape>;

const endedAnalysisSchema = endedAnalysisShape.refine(
  ({ result: { analysis } }) =>
    analysis.final_signal === "WAIT" ||
    (analysis.entry !== null && analysis.stop_loss !== null && analysis.take_profit !== null),
);

const PROJECTION = {
  symbol: 1,
  timeframe: 1,
  status: 1,
  finishedAt: 1,
  outcome: 1,
  "judgement.reason": 1,
  "judgement.resolved_at": 1,
  "judgement.filled_at": 1,
  "judgement.fill": 1,
  "judgement.exit": 1,
  "judgement.r_multiple": 1,
  "result.analysis.final_signal": 1,
  "result.analysis.confidence": 1,
  "result.analysis.calibrated_confidence": 1,
  "result.analysis.entry": 1,
  "result.analysis.stop_loss": 1,
  "result.analysis.take_profit": 1,
  "result.analysis.source.data": 1,
  "result.analysis.source.analyst": 1,
  "result.analysis.source.analyst_version": 1,
} as const;

export type AnalysisFilter = mongo.Filter<mongo.Document>;

interface ReadOptions {
  database: Database;
  logger: Logger;
  filter: AnalysisFilter;
  /** A snapshot session. The database keeps the snapshot for 5 minutes. */
  session?: ClientSession;
  /** Only this many of the trades that were resolved last. */
  newest?: number;
}

/**
 * Ended analyses that match the filter. One with an invalid shape is logged and left out, so that it does not break all
 * statistics.
 */
export async function* readClosedAnalyses(options: ReadOptions): AsyncGenerator<ClosedAnalysis> {
  const { database, logger, filter, session, newest } = options;
  const found = database.marketAnalyses.collection.find(filter, {
    projection: PROJECTION,
    ...(session && { session, readConcern: { level: "snapshot" } }),
  });
  if (newest !== undefined) found.sort({ "judgement.resolved_at": -1 }).limit(newest);
  for await (const document of found) {
    const { success, data, error } = endedAnalysisSchema.safeParse(document);
    if (success) yield data;
    else logger.warn({ err: error, analysisId: document._id }, "an analysis could not be counted");
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

/** Analyses without an analyst version. */
export const UNVERSIONED = "unversioned";

const ANY = "*";
const ofClass = (name: string) => `class:${name}`;

interface SeriesParts {
  data: string;
  market: string;
  timeframe: string;
  analyst: string;
  version: string;
}

const keyOf = ({ data, market, timeframe, analyst, version }: SeriesParts): string =>
  [data, market, timeframe, analyst, version].join("|");

/** Data of an analysis; one that failed before any came counts against the live record, rather than against none. */
const dataOf = ({ result: { analysis } }: ClosedAnalysis): MarketDataSource =>
  analysis.source.data === "replay" ? "replay" : "live";

/** The series that holds what a query asks for; null where its symbol and its class exclude each other. */
export function seriesOf(query: PerformanceQuery): string | null {
  const { data, symbol, class: wanted, timeframe = ANY, analyst = ANY, version = ANY } = query;
  if (symbol && wanted && instrumentClass(symbol) !== wanted) return null;
  const market = symbol ?? (wanted ? ofClass(wanted) : ANY);
  return keyOf({ data, market, timeframe, analyst, version });
}

/** Every series that an analysis belongs to, one for each choice of filters that it fits. */
export function seriesKeysOf(ended: ClosedAnalysis): string[] {
  const { symbol, timeframe } = ended;
  const { analyst, analyst_version: version = UNVERSIONED } = ended.result.analysis.source;
  const data = dataOf(ended);
  const markets = [symbol, ofClass(instrumentClass(symbol)), ANY];
  const authors = [
    { analyst, version },
    { analyst, version: ANY },
    { analyst: ANY, version: ANY },
  ];
  return markets.flatMap((market) =>
    [timeframe, ANY].flatMap((length) =>
      authors.map((author) => keyOf({ data, market, timeframe: length, ...author })),
    ),
  );
}

/** What an analysis adds to the choices of the filters; null for one that no analyst made. */
export function recordedKindOf(ended: ClosedAnalysis): RecordedKind | null {
  const { analyst, analyst_version: version = UNVERSIONED } = ended.result.analysis.source;
  return analyst === "none"
    ? null
    : { data: dataOf(ended), symbol: ended.symbol, analyst, version };
}
