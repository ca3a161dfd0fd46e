import type { ImageType } from "@shared/contract/files.ts";
import { type Connection, Schema, type Types } from "mongoose";

/** A stored image. Its bytes are in GridFS under the same id, and are never served without this document. */
export interface StoredFileRecord {
  _id: Types.ObjectId;
  /** The owner. */
  userId: Types.ObjectId;
  filename: string;
  contentType: ImageType;
  /** Bytes. */
  size: number;
  createdAt: Date;
}

export const storedFileFields = {
  filename: { type: String, unique: true },
  contentType: String,
  size: Number,
  createdAt: Date,
} as const;

/** A chart image that was uploaded with a request for a signal. */
export interface ChartImageRecord extends StoredFileRecord {
  /** The owner's name, which never changes. */
  username: string;
  signalId: Types.ObjectId;
}

const chartImageSchema = new Schema<ChartImageRecord>(
  {
    ...storedFileFields,
    userId: { type: Schema.Types.ObjectId, index: true },
    username: String,
    signalId: Schema.Types.ObjectId,
  },
  { versionKey: false, collection: "chart_images" },
);
chartImageSchema.index({ createdAt: -1, _id: -1 });

export const storedFileModels = (connection: Connection) => ({
  chartImages: connection.model<ChartImageRecord>("ChartImage", chartImageSchema),
});
