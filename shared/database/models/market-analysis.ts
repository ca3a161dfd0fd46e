import { USAGE_RETENTION_DAYS } from "@shared/contract/constants.ts";
import type { Candle, Timeframe } from "@shared/contract/market-data.ts";
import type { Resolution } from "@shared/contract/resolution.ts";
import type { Outcome, SignalStatus, UnsizedAnalysis } from "@shared/contract/signal.ts";
import type { Funding } from "@shared/outcomes/funding.ts";
import type { TradeCourse } from "@shared/outcomes/resolve-trade.ts";
import type { Connection, mongo, Schema, Types } from "mongoose";
import { addPerformanceIndexes } from "./performance.ts";
import { modelOf, ObjectId, recordSchema } from "./record-schema.ts";

/** Result of an analysis, before it is sized for a user. */
export interface MarketResult {
  analysis: UnsizedAnalysis;
  /** USD per unit of the quote currency, if sizing needs the rate of another market. */
  quoteToUsd: number | null;
  /** SHA-256 of the candles in hex; null if the run failed before it had any. */
  candlesSha256: string | null;
}

/** The trade that a WAIT did not take. Prices are in the quote currency. */
export interface RejectedTrade {
  side: "BUY" | "SELL";
  entry: number;
  stopLoss: number;
  takeProfit: number;
  /** Hold limit. */
  holdCandles: number;
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
  candleClosedAt: Date;
  chartImageId?: Types.ObjectId;
  /** The user who asked first; orders the queue. Absent once the analysis is finished. */
  userId?: Types.ObjectId;
  /** Id of the request that asked first, for the logs. */
  requestId?: string;
  status: SignalStatus;
  /** Fencing token: only the latest run can finish the analysis. */
  revision: number;
  /** Signals that joined while it was unfinished, so that joining conflicts with finishing. */
  joinedSignals: number;
  createdAt: Date;
  updatedAt: Date;
  startedAt?: Date;
  finishedAt?: Date;
  result?: MarketResult;
  /** Of a trade of a coin: as it was known at the close of the analysed candle. Absent if it was not. */
  funding?: Funding;
  /**
   * Set if the analysis is made for watchlists, until they have their signals or it ends without a trade. Watchlist items up
   * to `after` have been served.
   */
  fanOut?: { after: Types.ObjectId | null };
  /** When the price had left the entry zone, and where it was then. */
  entryLeft?: { price: number; at: Date };
  /** Counts transactions that finish signals after it, so that its fill, outcome and missed entry conflict with them. */
  entryChecks?: number;
  /** When and at which price its trade was entered, as soon as closed candles show it. */
  filled?: { price: number; at: Date };
  /** Its open trade after the candles seen so far; where another provider goes on. */
  course?: TradeCourse;
  /** How its trade ended by what its provider has shown, which may not be all. Counts if that one shows no more. */
  shownResolution?: Resolution;
  /** Another provider decides its trade, from this time on: the close of the last candle of the first. */
  providerChange?: { provider: string; at: Date };
  /** How the market resolved its trade; set together with `resolution`. */
  outcome?: Outcome;
  resolution?: Resolution;
  /** When to check next whether the trade is filled or resolved; absent once it is and its signals are updated. */
  resolveAt?: Date;
  /** Of a WAIT that an analyst made; absent if there was none, and in analyses of earlier versions. */
  rejectedTrade?: RejectedTrade;
  /** When to look next whether it has ended; absent once it has. */
  judgeAt?: Date;
  /** How it would have ended. It is in no record of trades. */
  rejectedResolution?: Resolution;
  /** Number of the ledger record that commits to it; its trade is not resolved before. */
  ledgerSeq?: number;
  outcomeLedgerSeq?: number;
  /** The day whose performance stats contain it, or `PENDING_DAY`. */
  countedOn?: string;
  provenance?: unknown;
  /** Only of analyses of the bench, which are in a collection of their own: see `ShadowAnalysisRecord`. */
  arm?: string;
  armKey?: string;
  day?: string;
  /** Whether the sums of the bench contain it as it is. */
  isCounted?: boolean;
}

const marketAnalysisSchema = recordSchema<MarketAnalysisRecord>("market_analyses", {
  chartImageId: ObjectId,
  userId: ObjectId,
});
marketAnalysisSchema.index({ key: 1 }, { unique: true, sparse: true });
marketAnalysisSchema.index({ resolveAt: 1 }, { sparse: true });
marketAnalysisSchema.index({ judgeAt: 1 }, { sparse: true });
marketAnalysisSchema.index({ userId: 1 }, { sparse: true });
addPerformanceIndexes(marketAnalysisSchema);
addLedgerIndexes(marketAnalysisSchema);
marketAnalysisSchema.index({ symbol: 1, timeframe: 1, limit: 1, finishedAt: -1 });
marketAnalysisSchema.index(
  { "fanOut.after": 1 },
  { partialFilterExpression: { "fanOut.after": { $exists: true } } },
);
marketAnalysisSchema.index(
  { updatedAt: 1 },
  { partialFilterExpression: { status: { $in: ["queued", "running"] } } },
);
// ISO times sort as text. A WAIT has none and is not in the index.
marketAnalysisSchema.index(
  { "result.analysis.valid_until": 1 },
  { partialFilterExpression: { "result.analysis.valid_until": { $gt: "" } } },
);

/** Candles that belong to an analysis, stored separately so that reading analyses stays cheap. See `packCandles`. */
export interface CandlesRecord {
  _id: Types.ObjectId;
  packed?: Uint8Array | mongo.Binary;
  /** Instead of `packed`, of an analysis of an earlier version. */
  candles?: Candle[];
}

/** What the analyst saw. */
const analysisCandlesSchema = recordSchema<CandlesRecord>("analysis_candles");

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

/** The candles by which the trade of an analysis was resolved: from the one it was made in to the deciding one. */
const outcomeCandlesSchema = recordSchema<CandlesRecord>("outcome_candles");

/** The latest candles of a market, in one document for all its unresolved trades. */
export interface MarketCandlesRecord {
  /** `<live or replay> <provider> <symbol> <timeframe>`. */
  _id: string;
  /** Oldest first. */
  candles: Candle[];
  updatedAt: Date;
  /** When the provider first failed to give a candle that was due, by the clock of the database; absent once it gives it. */
  silentSince?: Date;
}

/** A market that was not updated for this long has no unresolved trades. */
const RETENTION_DAYS = 30;

const marketCandlesSchema = recordSchema<MarketCandlesRecord>("market_candles", { _id: String });
marketCandlesSchema.index({ updatedAt: 1 }, { expireAfterSeconds: RETENTION_DAYS * 86_400 });

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

export const analysisModels = (connection: Connection) => ({
  marketAnalyses: modelOf(connection, marketAnalysisSchema),
  analysisCandles: modelOf(connection, analysisCandlesSchema),
  outcomeCandles: modelOf(connection, outcomeCandlesSchema),
  marketCandles: modelOf(connection, marketCandlesSchema),
});

/** Tokens and cost of one analysis. It names no user. */
export interface SignalUsageRecord {
  _id: Types.ObjectId;
  at: Date;
  model: string;
  promptTokens: number;
  completionTokens: number;
  /** US dollars; null if the price of the model is not set. */
  costUsd: number | null;
}

const signalUsageSchema = recordSchema<SignalUsageRecord>("signal_usages");
// The totals of the last days are read from this index alone.
signalUsageSchema.index({ at: -1, model: 1, promptTokens: 1, completionTokens: 1, costUsd: 1 });
signalUsageSchema.index({ at: 1 }, { expireAfterSeconds: USAGE_RETENTION_DAYS * 86_400 });

/** Cost of the AI calls of all workers that ended on one UTC day. */
interface AiSpendingRecord {
  /** The day, as `2026-03-18`. */
  _id: string;
  /** Billionths of a US dollar: whole numbers add up exactly, and a day's stay below 2^53. */
  nanoUsd: number;
}

const aiSpendingSchema = recordSchema<AiSpendingRecord>("ai_spending", { _id: String });

export const aiUsageModels = (connection: Connection) => ({
  aiSpending: modelOf(connection, aiSpendingSchema),
  signalUsages: modelOf(connection, signalUsageSchema),
});
