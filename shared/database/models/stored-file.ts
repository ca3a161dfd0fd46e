import type { ImageType } from "@shared/contract/files.ts";
import type { Connection, Types } from "mongoose";
import { modelOf, ObjectId, recordSchema } from "./record-schema.ts";

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
