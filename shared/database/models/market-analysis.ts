import type { Candle, Timeframe } from "@shared/contract/candle.ts";
import type { Resolution } from "@shared/contract/resolution.ts";
import type { Outcome, SignalStatus, UnsizedAnalysis } from "@shared/contract/signal.ts";
import { Schema, type Types } from "mongoose";
import { addPerformanceIndexes } from "./performance.ts";

/** What an analysis found, before it is sized for a user. */
export interface MarketResult {
  analysis: UnsizedAnalysis;
  /** USD per unit of the quote currency, where sizing needs the rate of another market. */
  quoteToUsd: number | null;
  /** SHA-256, in hex, of the candles; null where the run failed before it had any. */
  candlesSha256: string | null;
}

/**
 * One run of the analyst for one market at one closed candle, shared by all signals that ask for the same:
 * `queued → running → completed | failed`.
 */
export interface MarketAnalysisRecord {
  _id: Types.ObjectId;
  /** See `analysisKey`. Absent for the analysis of a chart image, and once the analysis has failed. */
  key?: string;
  symbol: string;
  timeframe: Timeframe;
  /** Candles that the analyst sees. */
  limit: number;
  /** Close of the last candle that is analysed. */
  candleClosedAt: Date;
  chartImageId?: Types.ObjectId;
  /** Who asked first; orders the queue. Absent once the analysis is finished: it then belongs to nobody. */
  userId?: Types.ObjectId;
  /** Id of the request that asked first, for the logs. */
  requestId?: string;
  status: SignalStatus;
  /** Counts the starts; only the latest run can finish the analysis. */
  revision: number;
  /** Signals that joined while it was unfinished. A signal that joins so conflicts with a run that finishes. */
  joinedSignals: number;
  createdAt: Date;
  updatedAt: Date;
  startedAt?: Date;
  finishedAt?: Date;
  result?: MarketResult;
  /** When the price had left the entry zone, and where it was then. */
  entryLeft?: { price: number; at: Date };
  /** How the market resolved its trade; set together with `judgement`. */
  outcome?: Outcome;
  judgement?: Resolution;
  /** When to check next whether the trade is resolved, and its signals know; absent once both is so. */
  resolveAt?: Date;
  /** Number of the ledger record that commits to it; its trade is not resolved before. */
  ledgerSeq?: number;
  /** Number of the ledger record of its outcome. */
  outcomeLedgerSeq?: number;
  /** How the result came about, for those who want to recompute it. */
  receipt?: unknown;
}

export const marketAnalysisSchema = new Schema<MarketAnalysisRecord>(
  {
    key: { type: String },
    symbol: { type: String, required: true },
    timeframe: { type: String, required: true },
    limit: { type: Number, required: true },
    candleClosedAt: { type: Date, required: true },
    chartImageId: { type: Schema.Types.ObjectId },
    userId: { type: Schema.Types.ObjectId },
    requestId: { type: String },
    status: { type: String, required: true, enum: ["queued", "running", "completed", "failed"] },
    revision: { type: Number, required: true },
    joinedSignals: { type: Number, required: true },
    createdAt: { type: Date, required: true },
    updatedAt: { type: Date, required: true },
    startedAt: { type: Date },
    finishedAt: { type: Date },
    result: { type: Schema.Types.Mixed },
    entryLeft: { type: new Schema({ price: Number, at: Date }, { _id: false }) },
    outcome: { type: String, enum: ["WIN", "LOSS", "EXPIRED"] },
    judgement: { type: Schema.Types.Mixed },
    resolveAt: { type: Date },
    ledgerSeq: { type: Number },
    outcomeLedgerSeq: { type: Number },
    receipt: { type: Schema.Types.Mixed },
  },
  { versionKey: false, collection: "market_analyses", minimize: false },
);
marketAnalysisSchema.index({ key: 1 }, { unique: true, sparse: true });
marketAnalysisSchema.index({ resolveAt: 1 }, { sparse: true });
addPerformanceIndexes(marketAnalysisSchema);
addLedgerIndexes(marketAnalysisSchema);
marketAnalysisSchema.index(
  { updatedAt: 1 },
  { partialFilterExpression: { status: { $in: ["queued", "running"] } } },
);
// ISO times of one form sort like the times they name; a WAIT has none, and takes no room here.
marketAnalysisSchema.index(
  { "result.analysis.valid_until": 1 },
  { partialFilterExpression: { "result.analysis.valid_until": { $gt: "" } } },
);

/** The candles that an analysis was made from, kept apart so that reading analyses stays cheap. */
export interface AnalysisCandlesRecord {
  /** The analysis's id. */
  _id: Types.ObjectId;
  candles: Candle[];
}

export const analysisCandlesSchema = new Schema<AnalysisCandlesRecord>(
  {
    _id: { type: Schema.Types.ObjectId, required: true },
    candles: { type: Schema.Types.Mixed, required: true },
  },
  { versionKey: false, collection: "analysis_candles" },
);

/** Indexes that hold only what the ledger has yet to record: they stay small, however long the history. */
function addLedgerIndexes(schema: Pick<Schema, "index">): void {
  schema.index(
    { finishedAt: 1, _id: 1 },
    {
      name: "not_in_ledger",
      partialFilterExpression: { status: "completed", ledgerSeq: null },
    },
  );
  schema.index(
    { ledgerSeq: 1 },
    {
      name: "outcome_not_in_ledger",
      partialFilterExpression: { outcome: { $exists: true }, outcomeLedgerSeq: null },
    },
  );
}

/** The candles by which the trade of an analysis was resolved, from the one that it was made in to the one that decided. */
export interface OutcomeCandlesRecord {
  /** The analysis's id. */
  _id: Types.ObjectId;
  candles: Candle[];
}

export const outcomeCandlesSchema = new Schema<OutcomeCandlesRecord>(
  {
    _id: { type: Schema.Types.ObjectId, required: true },
    candles: { type: Schema.Types.Mixed, required: true },
  },
  { versionKey: false, collection: "outcome_candles" },
);

/**
 * The latest candles of a market that unresolved trades depend on: one document for all of them, so that reading a market
 * costs one write and not one for each trade.
 */
export interface MarketCandlesRecord {
  /** `<live or replay> <provider> <symbol> <timeframe>`. */
  _id: string;
  /** Oldest first. */
  candles: Candle[];
  updatedAt: Date;
}

/** A market without unresolved trades for this long is deleted; one with such trades is read every day. */
const KEEP_DAYS = 30;

export const marketCandlesSchema = new Schema<MarketCandlesRecord>(
  {
    _id: { type: String, required: true },
    candles: { type: Schema.Types.Mixed, required: true },
    updatedAt: { type: Date, required: true },
  },
  { versionKey: false, collection: "market_candles" },
);
marketCandlesSchema.index({ updatedAt: 1 }, { expireAfterSeconds: KEEP_DAYS * 86_400 });

/** Id of the stored candles of a market. */
export function marketKey(market: {
  data: string;
  provider: string;
  symbol: string;
  timeframe: string;
}): string {
  const { data, provider, symbol, timeframe } = market;
  return `${data} ${provider} ${symbol} ${timeframe}`;
}
