import type { ProviderFailure, ProviderState } from "@shared/contract/admin.ts";
import type { AnalystName, MarketDataSource } from "@shared/contract/status.ts";
import { type Connection, Schema } from "mongoose";

/** Health of one live provider in one worker. */
export interface ProviderHealthRecord {
  provider: string;
  state: ProviderState;
  lastSuccessAt: Date | null;
  lastFailure: { failure: ProviderFailure; at: Date } | null;
}

/** Heartbeat of one worker process. It expires when the worker has stopped. */
export interface WorkerStatusRecord {
  /** `<host>:<pid>:<random>`. */
  _id: string;
  marketData: MarketDataSource;
  analyst: AnalystName;
  concurrency: number;
  /** In the order in which they are asked. */
  providers: ProviderHealthRecord[];
  startedAt: Date;
  seenAt: Date;
}

/** Seconds without a heartbeat after which a worker counts as stopped. */
export const HEARTBEAT_TIMEOUT_SECONDS = 30;

const workerStatusSchema = new Schema<WorkerStatusRecord>(
  {
    _id: String,
    marketData: String,
    analyst: String,
    concurrency: Number,
    providers: Schema.Types.Mixed,
    startedAt: Date,
    seenAt: Date,
  },
  { versionKey: false, collection: "worker_statuses" },
);
workerStatusSchema.index({ seenAt: 1 }, { expireAfterSeconds: HEARTBEAT_TIMEOUT_SECONDS });

/** The symbols of the workers' market data; one document, `_id` is `symbols`. */
interface MarketListingRecord {
  _id: string;
  symbols: string[];
  updatedAt: Date;
}

const marketListingSchema = new Schema<MarketListingRecord>(
  { _id: String, symbols: [String], updatedAt: Date },
  { versionKey: false, collection: "market_listings" },
);

export const ANALYSIS_SETUP_ID = "current";

/**
 * How the workers make analyses, as the last of them reported. It is kept while no worker is active, so that servers know
 * which analyses can be shared.
 */
export interface AnalysisSetupRecord {
  _id: typeof ANALYSIS_SETUP_ID;
  data: MarketDataSource;
  analyst: AnalystName;
  model: string;
  /** Changes with the prompt or the rules. */
  analystVersion: string;
}

const analysisSetupSchema = new Schema<AnalysisSetupRecord>(
  { _id: String, data: String, analyst: String, model: String, analystVersion: String },
  { versionKey: false, collection: "analysis_setup" },
);

/** Prices of one symbol, in the quote currency; `closes` are oldest first. */
export interface MarketQuoteRecord {
  symbol: string;
  price: number;
  changePercent: number;
  high: number;
  low: number;
  closes: number[];
  data: MarketDataSource;
  /** When the last candle closed. */
  asOf: Date;
}

/** The latest prices of the product's symbols; one document. */
export interface MarketSnapshotRecord {
  _id: string;
  quotes: MarketQuoteRecord[];
  updatedAt: Date;
}

export const MARKET_SNAPSHOT_ID = "markets";

const marketQuoteSchema = new Schema<MarketQuoteRecord>(
  {
    symbol: String,
    price: Number,
    changePercent: Number,
    high: Number,
    low: Number,
    closes: [Number],
    data: String,
    asOf: Date,
  },
  { _id: false },
);

const marketSnapshotSchema = new Schema<MarketSnapshotRecord>(
  { _id: String, quotes: [marketQuoteSchema], updatedAt: Date },
  { versionKey: false, collection: "market_snapshots" },
);

export const workerReportModels = (connection: Connection) => ({
  workerStatuses: connection.model<WorkerStatusRecord>("WorkerStatus", workerStatusSchema),
  marketListings: connection.model<MarketListingRecord>("MarketListing", marketListingSchema),
  analysisSetup: connection.model<AnalysisSetupRecord>("AnalysisSetup", analysisSetupSchema),
  marketSnapshots: connection.model<MarketSnapshotRecord>("MarketSnapshot", marketSnapshotSchema),
});
