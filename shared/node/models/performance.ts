import type { MarketDataSource } from "@shared/contract/status.ts";
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
