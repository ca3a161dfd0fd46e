import type { AnalystName, MarketDataSource } from "@shared/contract/status.ts";
import { Schema } from "mongoose";

/** Id of the only setup. */
export const ANALYSIS_SETUP_ID = "current";

/**
 * What the workers make analyses with, as the last of them reported it. It is kept while no worker is active, so that
 * servers know which analyses can be shared.
 */
export interface AnalysisSetupRecord {
  _id: typeof ANALYSIS_SETUP_ID;
  data: MarketDataSource;
  analyst: AnalystName;
  model: string;
  /** Changes with the prompt or the rules. */
  analystVersion: string;
}

export const analysisSetupSchema = new Schema<AnalysisSetupRecord>(
  {
    _id: { type: String, required: true },
    data: { type: String, required: true },
    analyst: { type: String, required: true },
    model: { type: String, required: true },
    analystVersion: { type: String, required: true },
  },
  { versionKey: false, collection: "analysis_setup" },
);
