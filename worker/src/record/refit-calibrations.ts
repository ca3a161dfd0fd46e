import { type CalibratedKind, PERFORMANCE_STATE_ID } from "@shared/database/models/performance.ts";
import { UNVERSIONED } from "@shared/domain/performance-series.ts";
import { fitCalibration, MAX_OUTCOMES, type TimedOutcome } from "./calibration.ts";
import {
  type AnalysisFilter,
  type PerformanceDeps,
  readClosedAnalyses,
  readSnapshot,
} from "./performance-stats.ts";

const REFIT_AFTER_OUTCOMES = 50;
const REFIT_AFTER_MS = 3_600_000;

/** Fits the calibration of each analyst and version with enough new outcomes. */
export async function refitCalibrations(deps: PerformanceDeps): Promise<CalibratedKind[]> {
  const { database } = deps;
  const state = await database.performanceStates.findById(PERFORMANCE_STATE_ID).lean();
  const kinds = new Map(
    state?.recorded.map(({ data, analyst, version }) => [
      `${data}|${analyst}|${version}`,
      { data, analyst, version },
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
  { data, analyst, version }: CalibratedKind,
): Promise<TimedOutcome[]> {
  const filter: AnalysisFilter = {
    outcome: { $in: ["WIN", "LOSS"] },
    "result.analysis.source.data": data,
    "result.analysis.source.analyst": analyst,
    "result.analysis.source.analyst_version": version === UNVERSIONED ? null : version,
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
