import type { ProviderFailure, ProviderState } from "@shared/contract/health.ts";
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
