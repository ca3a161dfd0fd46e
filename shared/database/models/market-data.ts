import type {
  MarketCandles,
  MarketDataSource,
  PriceFeed,
  Timeframe,
} from "@shared/contract/market-data.ts";
import type { Connection } from "mongoose";
import { modelOf, recordSchema } from "./record-schema.ts";

export const chartKey = (symbol: string, timeframe: Timeframe): string => `${symbol} ${timeframe}`;

/** Servers wait for the candles of this market. A worker takes the request, and deletes it once they are stored. */
export interface CandleRequestRecord {
  _id: string;
  symbol: string;
  timeframe: Timeframe;
  requestedAt: Date;
  takenAt?: Date;
}

const REQUEST_RETENTION_SECONDS = 60;

const candleRequestSchema = recordSchema<CandleRequestRecord>("candle_requests", { _id: String });
candleRequestSchema.index({ requestedAt: 1 }, { expireAfterSeconds: REQUEST_RETENTION_SECONDS });

/** The newest candles of a market that someone looks at. */
export interface CurrentCandlesRecord {
  _id: string;
  source: string;
  /** Oldest first, the open one last. Empty if no provider had any. */
  candles: MarketCandles["candles"];
  opensAt: Date | null;
  delayMs: number;
  nextCloseAt: Date;
  /** By the clock of the database. */
  freshUntil: Date;
}

/** Kept for the ones who look at the market again soon. */
const CANDLES_RETENTION_SECONDS = 300;

const currentCandlesSchema = recordSchema<CurrentCandlesRecord>("current_candles", { _id: String });
currentCandlesSchema.index({ freshUntil: 1 }, { expireAfterSeconds: CANDLES_RETENTION_SECONDS });

export const currentCandleModels = (connection: Connection) => ({
  candleRequests: modelOf(connection, candleRequestSchema),
  currentCandles: modelOf(connection, currentCandlesSchema),
});

/** The symbols that sockets of one server watch. It expires when the server has stopped. */
interface PriceWatcherRecord {
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
