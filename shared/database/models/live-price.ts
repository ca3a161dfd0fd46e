import type { PriceFeed } from "@shared/contract/prices.ts";
import type { MarketDataSource } from "@shared/contract/status.ts";
import type { Connection } from "mongoose";
import { modelOf, recordSchema } from "./record-schema.ts";

/** The symbols that sockets of one server watch. It expires when the server has stopped. */
export interface PriceWatcherRecord {
  /** A random id of the server process. */
  _id: string;
  symbols: string[];
  /** By the clock of the database. */
  seenAt: Date;
}

/** A server that has not been seen for this long has stopped. */
export const PRICE_WATCHER_TIMEOUT_MS = 3_000;

const RETENTION_SECONDS = 60;

const priceWatcherSchema = recordSchema<PriceWatcherRecord>("price_watchers", { _id: String });
priceWatcherSchema.index({ seenAt: 1 }, { expireAfterSeconds: RETENTION_SECONDS });

/** The last price of a watched market; replaced at most once a second. */
export interface LivePriceRecord {
  /** The symbol. */
  _id: string;
  price: number;
  /** When the market had it. */
  at: Date;
  provider: string;
  data: MarketDataSource;
  feed: PriceFeed;
  writtenAt: Date;
}

const livePriceSchema = recordSchema<LivePriceRecord>("live_prices", { _id: String });
livePriceSchema.index({ writtenAt: 1 }, { expireAfterSeconds: RETENTION_SECONDS });

export const livePriceModels = (connection: Connection) => ({
  priceWatchers: modelOf(connection, priceWatcherSchema),
  livePrices: modelOf(connection, livePriceSchema),
});
