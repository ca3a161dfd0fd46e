import type { ProviderFailure, ProviderState } from "@shared/contract/admin.ts";
import type { TradingHours } from "@shared/contract/instruments.ts";
import type { AnalystName, MarketDataSource } from "@shared/contract/market-data.ts";
import type { Connection } from "mongoose";
import { modelOf, recordSchema } from "./record-schema.ts";

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
  /** Id of its record in `model_servers`; absent without an AI model. */
  modelServer?: string;
  concurrency: number;
  /** In the order in which they are asked. */
  providers: ProviderHealthRecord[];
  startedAt: Date;
  seenAt: Date;
}

/**
 * A provider that has to be left alone, because it said so with a rate limit or ban. It is kept until a request after that
 * succeeds.
 */
interface ProviderPauseRecord {
  /** The provider. */
  _id: string;
  /** By the clock of the database, as all times of it. */
  until: Date;
  /** Until then, one worker tries whether it is over. */
  trialUntil: Date;
}

const PAUSE_RETENTION_SECONDS = 24 * 60 * 60;

const providerPauseSchema = recordSchema<ProviderPauseRecord>("provider_pauses", { _id: String });
providerPauseSchema.index({ until: 1 }, { expireAfterSeconds: PAUSE_RETENTION_SECONDS });

/** Seconds without a heartbeat after which a worker counts as stopped. */
export const HEARTBEAT_TIMEOUT_SECONDS = 30;

const workerStatusSchema = recordSchema<WorkerStatusRecord>("worker_statuses", { _id: String });
workerStatusSchema.index({ seenAt: 1 }, { expireAfterSeconds: HEARTBEAT_TIMEOUT_SECONDS });

/** The symbols of the workers' market data; one document, `_id` is `symbols`. */
interface MarketListingRecord {
  _id: string;
  symbols: string[];
  /** Providers that could not be read yet. Until then, a symbol that is not in the list may still exist. */
  missing?: string[];
  updatedAt: Date;
}

const marketListingSchema = recordSchema<MarketListingRecord>("market_listings", { _id: String });

export const ANALYSIS_SETUP_ID = "current";

/**
 * How the workers make analyses, as the one reported that started last. It is kept while no worker is active, so that servers know
 * which analyses can be shared.
 */
export interface AnalysisSetupRecord {
  _id: typeof ANALYSIS_SETUP_ID;
  data: MarketDataSource;
  analyst: AnalystName;
  model: string;
  /** Changes with the prompt or the rules. */
  analystVersion: string;
  /** Of the worker that reported it. Earlier versions did not store it. */
  startedAt?: Date;
  reportedAt?: Date;
}

const analysisSetupSchema = recordSchema<AnalysisSetupRecord>("analysis_setup", { _id: String });

/** Prices of one symbol, in the quote currency; `closes` are oldest first. */
export interface MarketQuoteRecord {
  symbol: string;
  price: number;
  changePercent: number;
  high: number;
  low: number;
  closes: number[];
  data: MarketDataSource;
  /** Of the market at its provider. */
  hours?: TradingHours;
  asOf: Date;
}

/** The latest prices of the product's symbols; one document. */
export interface MarketSnapshotRecord {
  _id: string;
  quotes: MarketQuoteRecord[];
  updatedAt: Date;
}

export const MARKET_SNAPSHOT_ID = "markets";

const marketSnapshotSchema = recordSchema<MarketSnapshotRecord>("market_snapshots", {
  _id: String,
});

export const workerReportModels = (connection: Connection) => ({
  workerStatuses: modelOf(connection, workerStatusSchema),
  providerPauses: modelOf(connection, providerPauseSchema),
  marketListings: modelOf(connection, marketListingSchema),
  analysisSetup: modelOf(connection, analysisSetupSchema),
  marketSnapshots: modelOf(connection, marketSnapshotSchema),
});
