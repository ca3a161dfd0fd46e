import type { ProviderFailure, ProviderState } from "@shared/contract/admin.ts";
import type { AnalystName, MarketDataSource } from "@shared/contract/status.ts";
import { Schema } from "mongoose";

/** How one live provider has been doing in one worker. */
export interface ProviderHealthRecord {
  provider: string;
  state: ProviderState;
  lastSuccessAt: Date | null;
  lastFailure: { failure: ProviderFailure; at: Date } | null;
}

/** Sign of life of one worker process; it goes away by itself when the worker is gone. */
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

/** Seconds without a sign of life after which a worker counts as gone. */
export const WORKER_GONE_SECONDS = 30;

export const workerStatusSchema = new Schema<WorkerStatusRecord>(
  {
    _id: { type: String, required: true },
    marketData: { type: String, required: true },
    analyst: { type: String, required: true },
    concurrency: { type: Number, required: true },
    providers: { type: Schema.Types.Mixed, required: true },
    startedAt: { type: Date, required: true },
    seenAt: { type: Date, required: true },
  },
  { versionKey: false, collection: "worker_statuses" },
);
workerStatusSchema.index({ seenAt: 1 }, { expireAfterSeconds: WORKER_GONE_SECONDS });

/** The symbols that the workers' market data knows; one document, `_id` is `symbols`. */
export interface MarketListingRecord {
  _id: string;
  symbols: string[];
  updatedAt: Date;
}

export const marketListingSchema = new Schema<MarketListingRecord>(
  {
    _id: { type: String, required: true },
    symbols: { type: [String], required: true },
    updatedAt: { type: Date, required: true },
  },
  { versionKey: false, collection: "market_listings" },
);

/** Id of the only setup. */
export const ANALYSIS_SETUP_ID = "current";

/**
 * What the workers make analyses with, as the last of them reported it. It is kept while no worker is active, so that
 * servers know which analyses can be shared.
 */
export interface AnalysisSetupRecord {
  _id: typeof ANALYSIS_SETUP_ID;
  data: MarketDataSource;
  analyst: AnalystName;
  model: string;
  /** Changes with the prompt or the rules. */
  analystVersion: string;
}

export const analysisSetupSchema = new Schema<AnalysisSetupRecord>(
  {
    _id: { type: String, required: true },
    data: { type: String, required: true },
    analyst: { type: String, required: true },
    model: { type: String, required: true },
    analystVersion: { type: String, required: true },
  },
  { versionKey: false, collection: "analysis_setup" },
);

/** One symbol's prices, in the quote currency; `closes` runs from old to new. */
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

/** What the product's symbols cost, as the workers last read it; one document, `_id` is `markets`. */
export interface MarketSnapshotRecord {
  _id: string;
  quotes: MarketQuoteRecord[];
  updatedAt: Date;
}

/** Id of the only snapshot. */
export const MARKET_SNAPSHOT_ID = "markets";

const marketQuoteSchema = new Schema<MarketQuoteRecord>(
  {
    symbol: { type: String, required: true },
    price: { type: Number, required: true },
    changePercent: { type: Number, required: true },
    high: { type: Number, required: true },
    low: { type: Number, required: true },
    closes: { type: [Number], required: true },
    data: { type: String, required: true },
    asOf: { type: Date, required: true },
  },
  { _id: false },
);

export const marketSnapshotSchema = new Schema<MarketSnapshotRecord>(
  {
    _id: { type: String, required: true },
    quotes: { type: [marketQuoteSchema], required: true },
    updatedAt: { type: Date, required: true },
  },
  { versionKey: false, collection: "market_snapshots" },
);
