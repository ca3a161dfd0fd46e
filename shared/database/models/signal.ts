import { IDEMPOTENCY_HOURS } from "@shared/contract/constants.ts";
import type { ImageType } from "@shared/contract/files.ts";
import type { Timeframe } from "@shared/contract/market-data.ts";
import type { Analysis, Outcome, SignalOrigin, SignalStatus } from "@shared/contract/signal.ts";
import type { Connection, Types } from "mongoose";
import { modelOf, ObjectId, recordSchema } from "./record-schema.ts";

/** Filter for signals that have no result yet. */
export const UNFINISHED = {
  status: { $in: ["queued", "running"] as const satisfies SignalStatus[] },
};

/** A user's request and its result: `queued → running → completed | failed`. */
export interface SignalRecord {
  _id: Types.ObjectId;
  userId: Types.ObjectId;
  analysisId: Types.ObjectId;
  origin: SignalOrigin;
  symbol: string;
  timeframe: Timeframe;
  limit: number;
  requestId?: string;
  /** USD. */
  amount: number;
  riskPercent: number;
  leverage: number;
  /** The chart image that a credit was spent on. */
  chartImageId?: Types.ObjectId;
  status: SignalStatus;
  /** The run of the analysis for which `signal:started` was last sent. */
  revision: number;
  createdAt: Date;
  updatedAt: Date;
  startedAt?: Date;
  finishedAt?: Date;
  /** The analysis, sized for the user. */
  analysis?: Analysis;
  /** When the price had left the entry zone, and where it was then. */
  entryLeft?: { price: number; at: Date };
  /** Fill and outcome of its analysis; a WAIT has none. */
  filled?: { price: number; at: Date };
  outcome?: Outcome;
  /** What the user has written about it, for themselves. */
  note?: string;
  /** SHA-256, in hex, of the token of its public page, and when that was created. */
  shareHash?: string;
  sharedAt?: Date;
}

const signalSchema = recordSchema<SignalRecord>("signals", {
  userId: ObjectId,
  analysisId: ObjectId,
  chartImageId: ObjectId,
});
signalSchema.index({ userId: 1, createdAt: -1, _id: -1 });
signalSchema.index({ analysisId: 1, userId: 1 });
/** Those that wait for an analysis, which thousands of others may have. */
signalSchema.index(
  { analysisId: 1 },
  { partialFilterExpression: { status: { $in: ["queued", "running"] } } },
);
signalSchema.index(
  { userId: 1, analysisId: 1 },
  { unique: true, partialFilterExpression: { origin: "watchlist" } },
);
signalSchema.index({ shareHash: 1 }, { unique: true, sparse: true });
signalSchema.index({ userId: 1, symbol: 1, createdAt: -1, _id: -1 });
signalSchema.index({ userId: 1, "analysis.final_signal": 1, createdAt: -1, _id: -1 });
signalSchema.index({ userId: 1, outcome: 1, createdAt: -1, _id: -1 });
signalSchema.index({ updatedAt: -1 }, { partialFilterExpression: { status: "failed" } });
signalSchema.index(
  { updatedAt: 1 },
  { partialFilterExpression: { status: { $in: ["queued", "running"] } } },
);

/** An idempotency key: `<user id>:<key>` of a signal, or `<renewal or grant>:<admin id>:<user id>:<key>`. */
interface IdempotencyRecord {
  _id: string;
  signalId?: Types.ObjectId;
  /** SHA-256, in hex, of the request for the signal; or the number of credits to grant. */
  request?: string;
  /** The balance after a grant. */
  imageCredits?: number;
  createdAt: Date;
}

const idempotencySchema = recordSchema<IdempotencyRecord>("idempotency_keys", {
  _id: String,
  signalId: ObjectId,
});
idempotencySchema.index({ createdAt: 1 }, { expireAfterSeconds: IDEMPOTENCY_HOURS * 3_600 });

export const signalModels = (connection: Connection) => ({
  signals: modelOf(connection, signalSchema),
  idempotencyKeys: modelOf(connection, idempotencySchema),
});

/** A stored image. Its bytes are in GridFS under the same id, and are never served without this document. */
export interface StoredFileRecord {
  _id: Types.ObjectId;
  userId: Types.ObjectId;
  filename: string;
  contentType: ImageType;
  /** Bytes. */
  size: number;
  createdAt: Date;
}

export interface ChartImageRecord extends StoredFileRecord {
  /** The owner's name, which never changes. */
  username: string;
  signalId: Types.ObjectId;
}

const chartImageSchema = recordSchema<ChartImageRecord>("chart_images", {
  userId: ObjectId,
  signalId: ObjectId,
});
chartImageSchema.index({ filename: 1 }, { unique: true });
chartImageSchema.index({ userId: 1 });
chartImageSchema.index({ createdAt: -1, _id: -1 });

export const storedFileModels = (connection: Connection) => ({
  chartImages: modelOf(connection, chartImageSchema),
});
