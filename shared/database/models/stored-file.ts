import type { ImageType } from "@shared/contract/files.ts";
import { Schema, type Types } from "mongoose";

/**
 * What is known of a stored picture. Only a file that a document tells of is ever served; its bytes are in GridFS
 * under the same id.
 */
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

/** Schema fields of every stored picture. */
export const storedFileFields = {
  filename: { type: String, required: true, unique: true },
  contentType: { type: String, required: true },
  size: { type: Number, required: true },
  createdAt: { type: Date, required: true },
} as const;

/** A chart picture that came with a request for a signal. */
export interface ChartImageRecord extends StoredFileRecord {
  /** The owner's name, for the gallery; names never change. */
  username: string;
  signalId: Types.ObjectId;
}

export const chartImageSchema = new Schema<ChartImageRecord>(
  {
    ...storedFileFields,
    userId: { type: Schema.Types.ObjectId, required: true, index: true },
    username: { type: String, required: true },
    signalId: { type: Schema.Types.ObjectId, required: true },
  },
  { versionKey: false, collection: "chart_images" },
);
chartImageSchema.index({ createdAt: -1, _id: -1 });
