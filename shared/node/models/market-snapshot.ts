import type { MarketDataSource } from "@shared/contract/status.ts";
import { Schema } from "mongoose";

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
