import { DAY_MS } from "@shared/contract/constants.ts";
import { timeframeSchema } from "@shared/contract/market-data.ts";
import { type Resolution, resolutionSchema } from "@shared/contract/resolution.ts";
import { analysisSchema, outcomeSchema, signalSourceSchema } from "@shared/contract/signal.ts";
import { type Database, readEach } from "@shared/database/database.ts";
import { deleteFormerPerformance } from "@shared/database/former-performance.ts";
import type { MarketAnalysisRecord } from "@shared/database/models/market-analysis.ts";
import {
  type CalibratedKind,
  PENDING_DAY,
  PERFORMANCE_STATE_ID,
} from "@shared/database/models/performance.ts";
import type { Logger } from "@shared/runtime/logger.ts";
import type { AnalysisUsage } from "@shared/stats/analyst-usage.ts";
import {
  type RecordedKind,
  recordedKindOf,
  seriesKeysOf,
  UNVERSIONED,
} from "@shared/stats/performance-metrics.ts";
import {
  type ClosedTrade,
  closedTrade,
  type OutcomeCategory,
  type PerformanceSample,
  tallySignals,
} from "@shared/stats/tally.ts";
import { type ClientSession, type QueryFilter, Types } from "mongoose";
import { z } from "zod";
import { signalProvenanceSchema } from "../analysis/provenance.ts";
import type { WorkerDeps } from "../worker-deps.ts";
import { fitCalibration, MAX_OUTCOMES, type TimedOutcome } from "./calibration.ts";

/** Analyses of earlier versions may not have it. */
const measuredSchema = signalProvenanceSchema.pick({ usage: true, durationsMs: true });

const countedResolutionSchema = resolutionSchema.pick({
  reason: true,
  resolved_at: true,
  filled_at: true,
  fill: true,
  exit: true,
  r_multiple: true,
});

const closedAnalysisShape = z.object({
  _id: z.instanceof(Types.ObjectId),
  countedOn: z.string().optional(),
  symbol: z.string(),
  timeframe: timeframeSchema,
  status: z.enum(["completed", "failed"]),
  finishedAt: z.date(),
  outcome: outcomeSchema.optional(),
  resolution: countedResolutionSchema.optional(),
  rejectedTrade: z
    .object({ entry: z.number(), stopLoss: z.number(), takeProfit: z.number() })
    .optional(),
  rejectedResolution: countedResolutionSchema.optional(),
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
        source: signalSourceSchema.pick({
          data: true,
          analyst: true,
          analyst_version: true,
          model: true,
          demo_record: true,
        }),
      }),
  }),
  provenance: measuredSchema.optional().catch(undefined),
});
type ClosedAnalysis = z.infer<typeof closedAnalysisShape>;

const closedAnalysisSchema = closedAnalysisShape.refine(
  ({ result: { analysis } }) =>
    analysis.final_signal === "WAIT" ||
    (analysis.entry !== null && analysis.stop_loss !== null && analysis.take_profit !== null),
);

const PROJECTION = {
  "provenance.candles": 0,
  "provenance.calls": 0,
  "result.analysis.raw_ai": 0,
} as const;

type AnalysisFilter = QueryFilter<MarketAnalysisRecord>;

interface ReadOptions {
  database: Database;
  logger: Logger;
  filter: AnalysisFilter;
  /** A snapshot session. The database keeps the snapshot for 5 minutes. */
  session?: ClientSession;
  /** Only the most recently resolved trades. */
  newest?: number;
  onInvalid?: (id: Types.ObjectId) => void;
}

/** Reads the finished analyses that match the filter. One with an invalid shape is logged and skipped. */
async function* readClosedAnalyses(options: ReadOptions): AsyncGenerator<ClosedAnalysis> {
  const { database, logger, filter, session, newest, onInvalid } = options;
  const query = database.marketAnalyses.find(filter).select(PROJECTION).lean();
  if (session) query.session(session).readConcern("snapshot");
  if (newest !== undefined) query.sort({ "resolution.resolved_at": -1 }).limit(newest);
  for await (const document of readEach(query)) {
    const { success, data, error } = closedAnalysisSchema.safeParse(document);
    if (success) {
      yield data;
      continue;
    }
    logger.warn({ err: error, analysisId: document._id }, "an analysis could not be counted");
    onInvalid?.(document._id);
  }
}

async function readSnapshot<Result>(
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

type PerformanceDeps = Pick<WorkerDeps, "database" | "logger" | "now"> & {
  /** Ends the work between two days, or before the next calibration. */
  abort?: AbortSignal;
};

const DAYS_AT_A_TIME = 4;
const ENDED = { status: { $in: ["completed", "failed"] } } as const;

/** What the days do not contain yet. An analysis says itself where it is counted, so no change is missed, however late. */
const UNCOUNTED: readonly AnalysisFilter[] = [
  { ...ENDED, countedOn: null },
  { outcome: { $exists: true }, countedOn: PENDING_DAY },
];

/** Instead of a day, of an analysis that cannot be read. */
const NOT_COUNTABLE = "none";

/** Only the writes after it wait for the disk. */
const QUICK_WRITE = { w: 1 } as const;

/**
 * Rebuilds the days of the performance stats that changed since the last run. Repeatable. If two run at once, as after a
 * suspension, the earlier one fails and changes nothing more.
 * @returns the rebuilt days
 */
export async function updatePerformanceStats(deps: PerformanceDeps): Promise<string[]> {
  const { performanceStates } = deps.database;
  const startedAt = deps.now();
  const isState = { _id: PERFORMANCE_STATE_ID };
  const state = await performanceStates
    .findOneAndUpdate(
      isState,
      { $inc: { run: 1 }, $setOnInsert: { recorded: [] } },
      { upsert: true, returnDocument: "after" },
    )
    .lean();
  const changed = await findChanges(deps, state.until ? UNCOUNTED : [ENDED]);
  await performanceStates.updateOne(isState, {
    $addToSet: { recorded: { $each: changed.recorded } },
  });
  for (let first = 0; first < changed.days.length; first += DAYS_AT_A_TIME) {
    deps.abort?.throwIfAborted();
    const days = changed.days.slice(first, first + DAYS_AT_A_TIME);
    await Promise.all(days.map((day) => buildDay(deps, day, state.run)));
  }
  if (changed.days.length > 0) await buildDay(deps, PENDING_DAY, state.run);
  await markCounted(deps.database, changed.invalid, NOT_COUNTABLE);
  await performanceStates.updateOne({ ...isState, run: state.run }, { $set: { until: startedAt } });
  if (!state.until) await deleteFormerPerformance(deps.database);
  return changed.days;
}

function dayOf(ended: ClosedAnalysis): string {
  const { category, at } = sampleOf(ended);
  return category === "pending" ? PENDING_DAY : new Date(at).toISOString().slice(0, 10);
}

/** Without a snapshot, which would expire during a long read. Reading an analysis twice is harmless. */
async function findChanges(deps: PerformanceDeps, filters: readonly AnalysisFilter[]) {
  const days = new Set<string>();
  const recorded = new Map<string, RecordedKind>();
  const invalid: Types.ObjectId[] = [];
  const onInvalid = (id: Types.ObjectId) => invalid.push(id);
  for (const filter of filters) {
    for await (const ended of readClosedAnalyses({ ...deps, filter, onInvalid })) {
      days.add(dayOf(ended));
      const kind = recordedKindOf(ended);
      if (kind) recorded.set(Object.values(kind).join("|"), kind);
    }
  }
  return { days: [...days].toSorted(), recorded: [...recorded.values()], invalid };
}

/** @throws Error if a later run has started */
async function buildDay(deps: PerformanceDeps, day: string, run: number): Promise<void> {
  const { performanceDays, performanceStates } = deps.database;
  const analyses = await readDay(deps, day);
  const isLater = { $gt: ["$run", run] };
  await performanceDays.bulkWrite(
    [...groupBySeries(analyses)].map(([series, samples]) => ({
      updateOne: {
        filter: { series, day },
        update: [
          {
            $set: {
              tally: { $cond: [isLater, "$tally", { $literal: tallySignals(samples) }] },
              run: { $max: ["$run", run] },
            },
          },
        ],
        upsert: true,
      },
    })),
    { ordered: false, writeConcern: QUICK_WRITE },
  );
  await performanceDays
    .deleteMany({ day, run: { $not: { $gte: run } } })
    .setOptions({ writeConcern: QUICK_WRITE });
  if (!(await performanceStates.exists({ _id: PERFORMANCE_STATE_ID, run }))) {
    throw new Error("Another run measures the performance.");
  }
  const moved = analyses.filter(({ countedOn }) => countedOn !== day).map(({ _id }) => _id);
  await markCounted(deps.database, moved, day);
}

async function markCounted(
  { marketAnalyses }: Database,
  ids: readonly Types.ObjectId[],
  countedOn: string,
): Promise<void> {
  if (ids.length === 0) return;
  await marketAnalyses.updateMany({ _id: { $in: [...ids] } }, { $set: { countedOn } });
}

function groupBySeries(analyses: readonly ClosedAnalysis[]): Map<string, PerformanceSample[]> {
  const groups = new Map<string, PerformanceSample[]>();
  for (const ended of analyses) {
    const sample = sampleOf(ended);
    for (const series of seriesKeysOf(ended)) {
      const group = groups.get(series);
      if (group) group.push(sample);
      else groups.set(series, [sample]);
    }
  }
  return groups;
}

async function readDay(deps: PerformanceDeps, day: string): Promise<ClosedAnalysis[]> {
  return readSnapshot(deps.database, async (session) => {
    const analyses: ClosedAnalysis[] = [];
    for (const filter of filtersOf(day)) {
      for await (const ended of readClosedAnalyses({ ...deps, filter, session })) {
        analyses.push(ended);
      }
    }
    return analyses;
  });
}

function filtersOf(day: string): AnalysisFilter[] {
  const isTrade = { "result.analysis.final_signal": { $in: ["BUY", "SELL"] } } as const;
  if (day === PENDING_DAY) return [{ status: "completed", ...isTrade, outcome: null }];
  const start = new Date(day);
  const end = new Date(start.getTime() + DAY_MS);
  const resolved = { outcome: { $exists: true }, status: "completed", ...isTrade } as const;
  const withoutTrade: AnalysisFilter[] = [
    { status: "failed" },
    { "result.analysis.final_signal": "WAIT" },
  ];
  return [
    { ...resolved, "resolution.resolved_at": { $gte: day, $lt: end.toISOString() } },
    { ...ENDED, $or: withoutTrade, finishedAt: { $gte: start, $lt: end } },
  ];
}

function categoryOf({ status, result, outcome, resolution }: ClosedAnalysis): OutcomeCategory {
  if (status === "failed") return "failed";
  if (result.analysis.final_signal === "WAIT") return "wait";
  if (!outcome || !resolution) return "pending";
  return outcomeCategory({ outcome, reason: resolution.reason });
}

export function outcomeCategory({
  outcome,
  reason,
}: Pick<Resolution, "outcome" | "reason">): OutcomeCategory {
  if (outcome === "WIN") return "win";
  if (outcome === "LOSS") return "loss";
  return reason === "not-filled" ? "not-filled" : "expired";
}

function sampleOf(ended: ClosedAnalysis): PerformanceSample {
  const { resolution, finishedAt } = ended;
  const { analysis } = ended.result;
  const { calibrated_confidence: calibrated = null } = analysis;
  return {
    category: categoryOf(ended),
    at: resolution ? Date.parse(resolution.resolved_at) : finishedAt.getTime(),
    confidence: analysis.confidence / 100,
    calibratedConfidence: calibrated === null ? null : calibrated / 100,
    trade: tradeOf(ended),
    ...rejectedOf(ended),
    usage: usageOf(ended),
  };
}

/** The demo record is made with a clock that stands. */
function usageOf({ result, provenance }: ClosedAnalysis): AnalysisUsage {
  const { analyst, demo_record: isDemo } = result.analysis.source;
  if (analyst === "none") return { tokens: null, latencyMs: null };
  const latencyMs = isDemo ? null : (provenance?.durationsMs.analysing ?? null);
  return { tokens: provenance?.usage ?? null, latencyMs };
}

function tradeOf({ result: { analysis }, resolution }: ClosedAnalysis): ClosedTrade | null {
  const { entry, stop_loss: stopLoss, take_profit: takeProfit } = analysis;
  if (!resolution || entry === null || stopLoss === null || takeProfit === null) return null;
  return closedTrade({ ...resolution, entry, stopLoss, takeProfit });
}

function rejectedOf(ended: ClosedAnalysis): Pick<PerformanceSample, "rejected"> {
  const { rejectedTrade: levels, rejectedResolution: resolution } = ended;
  if (!levels || !resolution || categoryOf(ended) !== "wait") return {};
  const trade = closedTrade({ ...resolution, ...levels });
  return { rejected: trade && { ...trade, closedAt: Date.parse(resolution.resolved_at) } };
}

const REFIT_AFTER_OUTCOMES = 50;
const REFIT_AFTER_MS = 3_600_000;

/** Fits the calibration of each analyst, version and model with enough new outcomes. */
export async function refitCalibrations(deps: PerformanceDeps): Promise<CalibratedKind[]> {
  const { database } = deps;
  const state = await database.performanceStates.findById(PERFORMANCE_STATE_ID).lean();
  const kinds = new Map(
    state?.recorded.map(({ data, analyst, version, model }) => [
      `${data}|${analyst}|${version}|${model}`,
      { data, analyst, version, model },
    ]),
  );
  const fitted: CalibratedKind[] = [];
  for (const kind of kinds.values()) {
    deps.abort?.throwIfAborted();
    if (await refitCalibration(deps, kind)) fitted.push(kind);
  }
  return fitted;
}

/** Fits the calibration of one of them by the outcomes before `now`. */
export async function refitCalibration(
  deps: PerformanceDeps,
  kind: CalibratedKind,
): Promise<boolean> {
  const { database, now } = deps;
  const fittedAt = now();
  const latest = await database.calibrations
    .findOne({ ...kind, fittedAt: { $lte: fittedAt } })
    .sort({ fittedAt: -1 })
    .lean();
  const outcomes = await readOutcomes(deps, kind);
  const newOnes = outcomes.filter(
    ({ resolvedAt }) => resolvedAt > Number(latest?.fittedUntil ?? 0),
  );
  const isDue = latest === null || fittedAt.getTime() - Number(latest.fittedAt) >= REFIT_AFTER_MS;
  if (newOnes.length < (isDue ? 1 : REFIT_AFTER_OUTCOMES)) return false;
  const calibration = fitCalibration({ outcomes, cutoff: fittedAt.getTime() });
  if (!calibration) return false;
  const fittedUntil = new Date(calibration.fittedUntil);
  await database.calibrations.insertOne({ ...kind, ...calibration, fittedAt, fittedUntil });
  return true;
}

function readOutcomes(
  deps: PerformanceDeps,
  { data, analyst, version, model }: CalibratedKind,
): Promise<TimedOutcome[]> {
  const filter: AnalysisFilter = {
    outcome: { $in: ["WIN", "LOSS"] },
    "result.analysis.source.data": data,
    "result.analysis.source.analyst": analyst,
    "result.analysis.source.analyst_version": version === UNVERSIONED ? null : version,
    "result.analysis.source.model": model,
  };
  return readSnapshot(deps.database, async (session) => {
    const outcomes: TimedOutcome[] = [];
    const newest = { ...deps, filter, session, newest: MAX_OUTCOMES };
    for await (const { result, outcome, resolution } of readClosedAnalyses(newest)) {
      if (!resolution) continue;
      outcomes.push({
        openedAt: Date.parse(resolution.filled_at ?? resolution.resolved_at),
        resolvedAt: Date.parse(resolution.resolved_at),
        stated: result.analysis.confidence / 100,
        won: outcome === "WIN",
      });
    }
    return outcomes;
  });
}
