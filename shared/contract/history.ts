import { z } from "zod";
import { SIGNAL_LIMITS } from "./constants.ts";
import { outcomeSchema, signalKindSchema } from "./signal.ts";

/** An outcome, or that there is none yet. */
export const historyOutcomeSchema = z.enum([...outcomeSchema.options, "PENDING"]);
export type HistoryOutcome = z.infer<typeof historyOutcomeSchema>;

const symbolPartSchema = z
  .string({ error: "Enter a part of a symbol." })
  .trim()
  .toUpperCase()
  .min(1, { error: "Enter a part of a symbol." })
  .max(SIGNAL_LIMITS.symbolLength.max, { error: "Use at most 20 characters." })
  .regex(/^[A-Z0-9/.-]+$/, { error: "Use letters, digits, / . and - only." })
  .meta({ description: "Part of a symbol; lower case counts as upper case" });

/** Which signals of the history are wanted; what is not said does not matter. */
export const historyFilterSchema = z
  .object({ symbol: symbolPartSchema, signal: signalKindSchema, outcome: historyOutcomeSchema })
  .partial();
