import { Schema, type Types } from "mongoose";
import { type StoredFileRecord, storedFileFields } from "./stored-file.ts";

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
