import { type SignalEntry, tallySignals } from "@shared/stats/tally.ts";
import type { Database } from "../database.ts";
import type { Logger } from "../logger.ts";
import { PENDING_DAY, PERFORMANCE_STATE_ID, type RecordedKind } from "../models/performance.ts";
import {
  type AnalysisFilter,
  type EndedAnalysis,
  readEndedAnalyses,
  readSnapshot,
} from "./ended-analyses.ts";
import { recordedKindOf, seriesKeysOf } from "./series.ts";
import { endedAt, entryOf } from "./signal-entry.ts";

/** What the statistics are made with. */
export interface PerformanceDeps {
  database: Database;
  logger: Logger;
  now: () => Date;
  /** Ends the work between two days, or before the next calibration. */
  abort?: AbortSignal;
}

const DAY_MS = 86_400_000;
const ENDED = { status: { $in: ["completed", "failed"] } };

/**
 * How far each refresh looks back behind the one before: changes carry the time at which their transaction began,
 * on the clock of whoever made them.
 */
const OVERLAP_MS = 60_000;

/** Days do not wait for the disk one by one: the state, written after them, does so for all. */
const QUICK_WRITE = { w: 1 } as const;

/**
 * Brings the sums that the statistics are read from up to date: finds what has ended or been resolved since the last
 * time, and builds the days anew that it falls on. Whoever runs it again, or after a crash, gets the same days. One at
 * a time may run.
 * @returns the days that were built
 * @throws the reason of `abort`; the next refresh begins where this one did
 */
export async function refreshPerformance(deps: PerformanceDeps): Promise<string[]> {
  const { database, now } = deps;
  const startedAt = now();
  const state = await database.performanceStates.findById(PERFORMANCE_STATE_ID).lean();
  const since = state ? new Date(state.until.getTime() - OVERLAP_MS) : new Date(0);
  const changed = await findChanges(deps, since);
  for (const day of changed.days) {
    deps.abort?.throwIfAborted();
    await buildDay(deps, day, startedAt);
  }
  if (changed.days.length > 0) await buildDay(deps, PENDING_DAY, startedAt);
  await database.performanceStates.updateOne(
    { _id: PERFORMANCE_STATE_ID },
    { $set: { until: startedAt }, $addToSet: { recorded: { $each: changed.recorded } } },
    { upsert: true },
  );
  return changed.days;
}

const dayOf = (ended: EndedAnalysis): string =>
  endedAt(ended)?.toISOString().slice(0, 10) ?? PENDING_DAY;

/** Without a snapshot: over a long record it takes longer than one is kept, and seeing an analysis twice does no harm. */
async function findChanges(
  deps: PerformanceDeps,
  since: Date,
): Promise<{ days: string[]; recorded: RecordedKind[] }> {
  const days = new Set<string>();
  const recorded = new Map<string, RecordedKind>();
  const filter = { ...ENDED, updatedAt: { $gte: since } };
  for await (const ended of readEndedAnalyses({ ...deps, filter })) {
    days.add(dayOf(ended));
    const kind = recordedKindOf(ended);
    if (kind) recorded.set(Object.values(kind).join("|"), kind);
  }
  return { days: [...days].toSorted(), recorded: [...recorded.values()] };
}

/** Builds one day of every series; what is no longer so is removed. */
async function buildDay(deps: PerformanceDeps, day: string, builtAt: Date): Promise<void> {
  const { performanceDays } = deps.database;
  const bySeries = groupBySeries(await readDay(deps, day));
  await performanceDays.bulkWrite(
    [...bySeries].map(([series, entries]) => ({
      updateOne: {
        filter: { series, day },
        update: { $set: { tally: tallySignals(entries), builtAt } },
        upsert: true,
      },
    })),
    { ordered: false, writeConcern: QUICK_WRITE },
  );
  await performanceDays
    .deleteMany({ day, builtAt: { $lt: builtAt } })
    .setOptions({ writeConcern: QUICK_WRITE });
}

function groupBySeries(analyses: readonly EndedAnalysis[]): Map<string, SignalEntry[]> {
  const groups = new Map<string, SignalEntry[]>();
  for (const ended of analyses) {
    const entry = entryOf(ended);
    for (const series of seriesKeysOf(ended)) {
      const group = groups.get(series);
      if (group) group.push(entry);
      else groups.set(series, [entry]);
    }
  }
  return groups;
}

async function readDay(deps: PerformanceDeps, day: string): Promise<EndedAnalysis[]> {
  return readSnapshot(deps.database, async (session) => {
    const analyses: EndedAnalysis[] = [];
    for (const filter of filtersOf(day)) {
      for await (const ended of readEndedAnalyses({ ...deps, filter, session })) {
        analyses.push(ended);
      }
    }
    return analyses;
  });
}

/** What `dayOf` puts on a day, as the database finds it by an index. */
function filtersOf(day: string): AnalysisFilter[] {
  const isTrade = { "result.analysis.final_signal": { $in: ["BUY", "SELL"] } };
  if (day === PENDING_DAY) return [{ status: "completed", ...isTrade, outcome: null }];
  const start = new Date(day);
  const end = new Date(start.getTime() + DAY_MS);
  const resolved = { outcome: { $exists: true }, status: "completed", ...isTrade };
  const withoutTrade = [{ status: "failed" }, { "result.analysis.final_signal": "WAIT" }];
  return [
    { ...resolved, "judgement.resolved_at": { $gte: day, $lt: end.toISOString() } },
    { ...ENDED, $or: withoutTrade, finishedAt: { $gte: start, $lt: end } },
  ];
}
