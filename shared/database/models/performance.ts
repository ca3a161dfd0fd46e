import type { MarketDataSource } from "@shared/contract/market-data.ts";
import type { RecordedKind } from "@shared/stats/performance-metrics.ts";
import type { Tally } from "@shared/stats/tally.ts";
import type { Connection, Schema, Types } from "mongoose";
import { modelOf, recordSchema } from "./record-schema.ts";

/**
 * Totals of one day (UTC, by when analyses finished) of one series, such as all live analyses of one symbol. An analysis
 * is in one series for every combination of filters, so the metrics of each are read from its days alone.
 */
interface PerformanceDayRecord {
  _id: Types.ObjectId;
  series: string;
  /** `2026-11-21`, or `PENDING_DAY`. */
  day: string;
  tally: Tally;
  /** Number of the run that built it. */
  run: number;
}

/** Day of trades that are not resolved yet. It sorts after every date, so each period includes it. */
export const PENDING_DAY = "pending";

/** The name changes with the format, so that a worker of an earlier version does not replace the days of this one. */
const performanceDaySchema = recordSchema<PerformanceDayRecord>("performance_days_with_waits");
performanceDaySchema.index({ series: 1, day: 1 }, { unique: true });
performanceDaySchema.index({ day: 1, run: 1 });

/** How far the days are up to date; one document. */
export interface PerformanceStateRecord {
  _id: string;
  /** Number of the latest run; an earlier one that still works changes nothing any more. */
  run: number;
  /** The days contain every change until then. Absent until they have all been built. */
  until?: Date;
  recorded: RecordedKind[];
}

export const PERFORMANCE_STATE_ID = "performance-with-waits";

const performanceStateSchema = recordSchema<PerformanceStateRecord>("performance_state", {
  _id: String,
});

/** When the demo record was started and finished; one document. */
interface DemoRecordRecord {
  _id: string;
  startedAt: Date;
  finishedAt?: Date;
}

export const DEMO_RECORD_ID = "demo";

const demoRecordSchema = recordSchema<DemoRecordRecord>("demo_records", { _id: String });

export function addPerformanceIndexes<Analysis>(schema: Schema<Analysis>): void {
  const ended = { status: { $in: ["completed", "failed"] } };
  const resolved = { outcome: { $exists: true } };
  schema.index(
    { countedOn: 1, finishedAt: 1 },
    { name: "not_counted", partialFilterExpression: { ...ended, countedOn: null } },
  );
  schema.index(
    { countedOn: 1 },
    {
      name: "resolved_since_counted",
      partialFilterExpression: { ...resolved, countedOn: PENDING_DAY },
    },
  );
  schema.index({ finishedAt: 1 }, { name: "ended_finished", partialFilterExpression: ended });
  schema.index({ "resolution.resolved_at": 1 }, { partialFilterExpression: resolved });
  schema.index(
    { "result.analysis.source.data": 1, "resolution.resolved_at": -1 },
    { name: "recent_outcomes", partialFilterExpression: resolved },
  );
  schema.index({ status: 1, "result.analysis.final_signal": 1, outcome: 1 });
  schema.index(
    {
      "result.analysis.source.data": 1,
      "result.analysis.source.analyst": 1,
      "result.analysis.source.analyst_version": 1,
      "result.analysis.source.model": 1,
      "resolution.resolved_at": -1,
    },
    { name: "calibration_by_model", partialFilterExpression: resolved },
  );
}

/** The source of the confidences that a calibration corrects. */
export interface CalibratedKind {
  data: MarketDataSource;
  analyst: string;
  version: string;
  model: string;
}

/** A point of a curve from stated to calibrated confidence, both 0–1. */
export interface CurvePoint {
  stated: number;
  calibrated: number;
}

/** A fit of stated to calibrated confidence. Older ones are kept. */
export interface CalibrationRecord extends CalibratedKind {
  _id: Types.ObjectId;
  method: "isotonic" | "platt";
  count: number;
  curve: CurvePoint[];
  fittedAt: Date;
  fittedUntil: Date;
}

const calibrationSchema = recordSchema<CalibrationRecord>("calibrations");
calibrationSchema.index({ data: 1, analyst: 1, version: 1, model: 1, fittedAt: -1 });

export const performanceModels = (connection: Connection) => ({
  performanceDays: modelOf(connection, performanceDaySchema),
  performanceStates: modelOf(connection, performanceStateSchema),
  calibrations: modelOf(connection, calibrationSchema),
  demoRecords: modelOf(connection, demoRecordSchema),
});
