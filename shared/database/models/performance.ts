import type { MarketDataSource } from "@shared/contract/status.ts";
import type { Calibration } from "@shared/stats/calibration.ts";
import type { Tally } from "@shared/stats/tally.ts";
import { Schema, type Types } from "mongoose";

/**
 * The sums of one day (UTC, by when analyses ended) of one series, such as all live analyses of one symbol. Each
 * analysis is in several series, one for every choice of filters; so the figures of any choice are read from its days
 * alone, however many analyses they hold.
 */
export interface PerformanceDayRecord {
  _id: Types.ObjectId;
  series: string;
  /** `2026-11-21`, or `PENDING_DAY`. */
  day: string;
  tally: Tally;
  builtAt: Date;
}

/** Stands for the day of trades that are not resolved yet. It sorts behind every date: each period includes it. */
export const PENDING_DAY = "pending";

export const performanceDaySchema = new Schema<PerformanceDayRecord>(
  {
    series: { type: String, required: true },
    day: { type: String, required: true },
    tally: { type: Schema.Types.Mixed, required: true },
    builtAt: { type: Date, required: true },
  },
  { versionKey: false, collection: "performance_days", minimize: false },
);
performanceDaySchema.index({ series: 1, day: 1 }, { unique: true });
performanceDaySchema.index({ day: 1, builtAt: 1 });

/** One combination that there are analyses of. */
export interface RecordedKind {
  data: MarketDataSource;
  symbol: string;
  analyst: string;
  version: string;
}

/** How far the days are up to date; one document, `_id` is `performance`. */
export interface PerformanceStateRecord {
  _id: string;
  /** Every change until then is in the days. */
  until: Date;
  recorded: RecordedKind[];
}

/** Id of the only state. */
export const PERFORMANCE_STATE_ID = "performance";

export const performanceStateSchema = new Schema<PerformanceStateRecord>(
  {
    _id: { type: String, required: true },
    until: { type: Date, required: true },
    recorded: { type: Schema.Types.Mixed, required: true },
  },
  { versionKey: false, collection: "performance_state" },
);

/** The indexes that the statistics need of the analyses. */
export function addPerformanceIndexes<Analysis>(schema: Schema<Analysis>): void {
  const ended = { status: { $in: ["completed", "failed"] } };
  const resolved = { outcome: { $exists: true } };
  schema.index({ updatedAt: 1 }, { name: "ended_updated", partialFilterExpression: ended });
  schema.index({ finishedAt: 1 }, { name: "ended_finished", partialFilterExpression: ended });
  schema.index({ "judgement.resolved_at": 1 }, { partialFilterExpression: resolved });
  schema.index({ status: 1, "result.analysis.final_signal": 1, outcome: 1 });
  schema.index(
    {
      "result.analysis.source.data": 1,
      "result.analysis.source.analyst": 1,
      "result.analysis.source.analyst_version": 1,
      "judgement.resolved_at": -1,
    },
    { name: "calibration", partialFilterExpression: resolved },
  );
}

/** Whose confidence a calibration corrects: a record of one version, or of demo data, says nothing of another. */
export interface CalibratedKind {
  data: MarketDataSource;
  analyst: string;
  version: string;
}

/** A fit of stated to calibrated confidence, as it stood at `fittedAt`; older ones are kept. */
export interface CalibrationRecord extends CalibratedKind, Omit<Calibration, "fittedUntil"> {
  _id: Types.ObjectId;
  fittedAt: Date;
  /** When the last signal that it was fitted on was resolved. */
  fittedUntil: Date;
}

export const calibrationSchema = new Schema<CalibrationRecord>(
  {
    data: { type: String, required: true },
    analyst: { type: String, required: true },
    version: { type: String, required: true },
    method: { type: String, required: true },
    count: { type: Number, required: true },
    fittedAt: { type: Date, required: true },
    fittedUntil: { type: Date, required: true },
    curve: { type: Schema.Types.Mixed, required: true },
  },
  { versionKey: false, collection: "calibrations" },
);
calibrationSchema.index({ data: 1, analyst: 1, version: 1, fittedAt: -1 });
