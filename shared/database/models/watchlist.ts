import type { Timeframe } from "@shared/contract/market-data.ts";
import type { Connection, Types } from "mongoose";
import { modelOf, ObjectId, recordSchema } from "./record-schema.ts";

/** A market that a user watches, with the sizing of the signals that they get of it. */
export interface WatchlistItemRecord {
  _id: Types.ObjectId;
  userId: Types.ObjectId;
  symbol: string;
  timeframe: Timeframe;
  minConfidence: number;
  /** USD. */
  amount: number;
  riskPercent: number;
  leverage: number;
  enabled: boolean;
  createdAt: Date;
}

const watchlistItemSchema = recordSchema<WatchlistItemRecord>("watchlist_items", {
  userId: ObjectId,
});
watchlistItemSchema.index({ userId: 1, symbol: 1, timeframe: 1 }, { unique: true });
watchlistItemSchema.index({ timeframe: 1, symbol: 1, enabled: 1, _id: 1 });

/** Up to which close the analyses of a timeframe are planned. */
interface WatchScheduleRecord {
  _id: Timeframe;
  plannedUntil: Date;
}

const watchScheduleSchema = recordSchema<WatchScheduleRecord>("watch_schedules", { _id: String });

/** The analysis of a watched market at one close: planned, then either queued or skipped. */
export interface ScheduledAnalysisRecord {
  /** `<symbol> <timeframe> <close>`: each close of a market is planned once. */
  _id: string;
  symbol: string;
  timeframe: Timeframe;
  candleClosedAt: Date;
  /** Users who watched the market when it was planned, whether approved or not. */
  watchers: number;
  dueAt: Date;
  status: "planned" | "queued" | "skipped";
  createdAt: Date;
  /** Once it is queued. */
  analysisId?: Types.ObjectId;
}

const PLAN_RETENTION_SECONDS = 7 * 86_400;

const scheduledAnalysisSchema = recordSchema<ScheduledAnalysisRecord>("scheduled_analyses", {
  _id: String,
  analysisId: ObjectId,
});
scheduledAnalysisSchema.index({ dueAt: 1 }, { partialFilterExpression: { status: "planned" } });
scheduledAnalysisSchema.index({ createdAt: 1 }, { expireAfterSeconds: PLAN_RETENTION_SECONDS });

export const watchlistModels = (connection: Connection) => ({
  watchlistItems: modelOf(connection, watchlistItemSchema),
  watchSchedules: modelOf(connection, watchScheduleSchema),
  scheduledAnalyses: modelOf(connection, scheduledAnalysisSchema),
});
