import type { MarketDataSource } from "@shared/contract/status.ts";
import type { Calibration } from "@shared/stats/calibration/fit-calibration.ts";
import { Schema, type Types } from "mongoose";

/** Whose confidence a calibration corrects: a record of one version, or of demo data, says nothing of another. */
export interface CalibratedKind {
  data: MarketDataSource;
  analyst: string;
  version: string;
}

/** A fit of stated to calibrated confidence, as it stood at `fittedAt`; older ones are kept. */
export interface CalibrationRecord extends CalibratedKind, Omit<Calibration, "fittedUntil"> {
  _id: Types.ObjectId;
  fittedAt: Date;
  /** When the last signal that it was fitted on was resolved. */
  fittedUntil: Date;
}

export const calibrationSchema = new Schema<CalibrationRecord>(
  {
    data: { type: String, required: true },
    analyst: { type: String, required: true },
    version: { type: String, required: true },
    method: { type: String, required: true },
    count: { type: Number, required: true },
    fittedAt: { type: Date, required: true },
    fittedUntil: { type: Date, required: true },
    curve: { type: Schema.Types.Mixed, required: true },
  },
  { versionKey: false, collection: "calibrations" },
);
calibrationSchema.index({ data: 1, analyst: 1, version: 1, fittedAt: -1 });
