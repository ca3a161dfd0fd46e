import type { Bench, BenchDetails } from "@shared/contract/analyst-bench.ts";
import type { Timeframe } from "@shared/contract/market-data.ts";
import type { Connection } from "mongoose";
import type { MarketAnalysisRecord } from "./market-analysis.ts";
import { modelOf, recordSchema } from "./record-schema.ts";

/** What an analysis of an arm keeps of how it was made. */
export interface ShadowProvenance {
  promptSha256: string | null;
  rawReplies: string[];
  samples?: unknown;
  usage: { promptTokens: number; completionTokens: number; costUsd: number | null } | null;
  latencyMs: number;
  /** Why it failed. */
  failure?: string;
}

/**
 * An analysis that an arm of the bench made beside those of users. It has the form of a market analysis, so that the same code
 * records and resolves it, and a collection of its own, so that nothing else counts it.
 */
export interface ShadowAnalysisRecord extends MarketAnalysisRecord {
  arm: string;
  /** The arm and how it was configured. */
  armKey: string;
  /** UTC day of the candle's close. */
  day: string;
}

const shadowAnalysisSchema = recordSchema<MarketAnalysisRecord>("shadow_analyses");
shadowAnalysisSchema.index({ key: 1 }, { unique: true });
shadowAnalysisSchema.index({ day: 1 });
shadowAnalysisSchema.index({ resolveAt: 1 }, { sparse: true });
shadowAnalysisSchema.index({ finishedAt: 1 });
shadowAnalysisSchema.index({ armKey: 1, candleClosedAt: -1 });
shadowAnalysisSchema.index({ armKey: 1, ledgerSeq: 1 });
shadowAnalysisSchema.index(
  { isCounted: 1, day: 1 },
  { name: "not_counted", partialFilterExpression: { isCounted: false } },
);
shadowAnalysisSchema.index(
  { finishedAt: 1, _id: 1 },
  { name: "not_in_ledger", partialFilterExpression: { status: "completed", ledgerSeq: null } },
);
shadowAnalysisSchema.index(
  { ledgerSeq: 1 },
  {
    name: "outcome_not_in_ledger",
    partialFilterExpression: { outcome: { $exists: true }, outcomeLedgerSeq: null },
  },
);

export interface BenchSetupArm {
  id: string;
  key: string;
  label: string;
  analyst: "openai" | "rules";
  version: string;
  model: string;
  isBaseline: boolean;
  since: Date;
  /** Whether it can be the analyst of the product: not without names, or with a part of the evidence only. */
  mayBeAnalyst: boolean;
}

export const BENCH_SETUP_ID = "setup";

/** The bench as the worker that started last is configured; one document. */
export interface BenchSetupRecord {
  _id: string;
  isDemo: boolean;
  arms: BenchSetupArm[];
  markets: { symbol: string; timeframe: Timeframe }[];
  budgetUsd: number | null;
  reportedAt: Date;
}

export const ANALYST_CHOICE_ID = "analyst";

/** The arm that an administrator made the analyst of the product; one document, absent for that of the settings. */
interface AnalystChoiceRecord {
  _id: string;
  arm: string;
  chosenAt: Date;
}

const analystChoiceSchema = recordSchema<AnalystChoiceRecord>("analyst_choices", { _id: String });

const benchSetupSchema = recordSchema<BenchSetupRecord>("bench_setups", { _id: String });

/** Up to which close the candles of a timeframe are planned. */
interface BenchScheduleRecord {
  /** The timeframe. */
  _id: Timeframe;
  plannedUntil: Date;
}

const benchScheduleSchema = recordSchema<BenchScheduleRecord>("bench_schedules", { _id: String });

/** Sums over the analyses of one arm at the candles of one day. */
export interface ArmDaySums {
  key: string;
  analyses: number;
  waits: number;
  failed: number;
  pending: number;
  decided: number;
  /** Closed trades. */
  trades: number;
  sumR: number;
  scoreSum: number;
  chanceSum: number;
  /** Of decided trades: squared errors of the stated chance, and of that of the levels. */
  squareErrors: number;
  baselineErrors: number;
  /** Trades, and the hours for which they were open. */
  heldHours: { count: number; sum: number };
  /** US dollars; analyses whose price is not known are not in `costed`. */
  costUsd: number;
  costed: number;
  /** Number of analyses by class of their latency. */
  latencies: [latencyClass: number, count: number][];
}

/** Sums over the candles of one day that two arms judged. */
export interface PairDaySums {
  a: string;
  b: string;
  count: number;
  sumR: number;
  brierCount: number;
  brierSum: number;
  /** Trades, and the hours for which they were open. */
  heldHours: { count: number; sum: number };
}

/** All arms on the candles of one day, from which every figure of the bench follows. */
export interface BenchDayRecord {
  /** UTC day. */
  _id: string;
  arms: ArmDaySums[];
  pairs: PairDaySums[];
  /** Candles are left out until earlier trades of the market are over. */
  isOpen: boolean;
}

const benchDaySchema = recordSchema<BenchDayRecord>("bench_days", { _id: String });
benchDaySchema.index({ isOpen: 1 }, { partialFilterExpression: { isOpen: true } });

export const BENCH_REPORT_ID = "report";

/** What the pages show, computed by a worker; one document. */
export interface BenchReportRecord {
  _id: string;
  bench: Bench;
  details: BenchDetails;
  updatedAt: Date;
}

const benchReportSchema = recordSchema<BenchReportRecord>("bench_reports", { _id: String });

/** Cost of the calls of the bench of all workers that ended on one UTC day. */
export interface BenchSpendingRecord {
  /** The day. */
  _id: string;
  /** Billionths of a US dollar. */
  nanoUsd: number;
  /** The most expensive call so far. */
  maxNanoUsd: number;
  byArm: Record<string, number>;
  /** Calls that run, with what they may cost. */
  reserved: { id: string; arm: string; nanoUsd: number; at: Date }[];
}

const benchSpendingSchema = recordSchema<BenchSpendingRecord>("bench_spending", { _id: String });

export const analystBenchModels = (connection: Connection) => ({
  shadowAnalyses: modelOf(connection, shadowAnalysisSchema),
  analystChoices: modelOf(connection, analystChoiceSchema),
  benchSetups: modelOf(connection, benchSetupSchema),
  benchSchedules: modelOf(connection, benchScheduleSchema),
  benchDays: modelOf(connection, benchDaySchema),
  benchReports: modelOf(connection, benchReportSchema),
  benchSpending: modelOf(connection, benchSpendingSchema),
});
