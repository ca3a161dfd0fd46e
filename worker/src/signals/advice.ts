import { signalKindSchema } from "@shared/contract/signal.ts";
import { z } from "zod";

/** What an analyst answers, before any check; prices are in the quote currency, confidence is 0–100. */
export const adviceSchema = z.object({
  final_signal: signalKindSchema,
  confidence: z.number(),
  entry: z.number().nullable(),
  stop_loss: z.number().nullable(),
  take_profit: z.number().nullable(),
  rationale: z.string(),
  key_evidence: z.array(z.string()),
  market_condition: z.string(),
  what_to_watch_for: z.array(z.string()),
  suggested_hold: z.string(),
  /** The hold as a number of candles; null for a WAIT, and from a model that does not send it. */
  hold_candles: z.number().nullable(),
  trade_duration_text: z.string(),
});
export type Advice = z.infer<typeof adviceSchema>;

/** Stands for the advice of an answer that has none. */
export const NO_ADVICE: Advice = {
  final_signal: "WAIT",
  confidence: 0,
  entry: null,
  stop_loss: null,
  take_profit: null,
  rationale: "The analyst gave no complete answer.",
  key_evidence: [],
  market_condition: "Unknown",
  what_to_watch_for: [],
  suggested_hold: "No position",
  hold_candles: null,
  trade_duration_text: "No trade",
};
