import { z } from "zod";
import { analystNameSchema, marketDataSourceSchema } from "./status.ts";

/**
 * State of a provider of candles. `failing`: its last request failed, of whatever market. `resting`: it is not called for
 * any market for a while, since its connection failed several times in a row or most of its markets fail; this lasts
 * until a call has succeeded. A market that is paused by itself leaves the provider as it is.
 */
export const providerStateSchema = z.enum(["ok", "failing", "resting"]);
export type ProviderState = z.infer<typeof providerStateSchema>;

/**
 * Why a provider gave no usable answer.
 * `unreachable`: no answer at all; `unknown-symbol`: it does not list the symbol;
 * `rate-limited`, `refused`, `nonsense`, `timeout`: it was there, but of no use.
 */
export const providerFailureSchema = z.enum([
  "unreachable",
  "unknown-symbol",
  "rate-limited",
  "refused",
  "nonsense",
  "timeout",
]);
export type ProviderFailure = z.infer<typeof providerFailureSchema>;

/** One provider as one worker knows it; one that has not been asked yet is `ok` without a last success. */
export const providerReportSchema = z.object({
  provider: z.string(),
  state: providerStateSchema,
  last_success_at: z.iso.datetime().nullable(),
  last_failure: z.object({ failure: providerFailureSchema, at: z.iso.datetime() }).nullable(),
});
export type ProviderReport = z.infer<typeof providerReportSchema>;

/** A living worker: one that was seen within the last half minute. */
export const workerReportSchema = z.object({
  id: z.string(),
  started_at: z.iso.datetime(),
  seen_at: z.iso.datetime(),
  /** Analyses that it takes on at the same time. */
  concurrency: z.number().int(),
  market_data: marketDataSourceSchema,
  analyst: analystNameSchema,
  /** Its live providers, in the order in which they are asked; none with replayed candles. */
  providers: z.array(providerReportSchema),
});
export type WorkerReport = z.infer<typeof workerReportSchema>;

/** Answer of `GET /admin/health`. */
export const systemHealthSchema = z.object({
  checked_at: z.iso.datetime(),
  queue: z.object({
    /** Signals that no worker has begun, and signals in work. */
    waiting: z.number().int(),
    running: z.number().int(),
    /** Age of the longest waiting signal; 0 when none waits. */
    oldest_waiting_seconds: z.number().nonnegative(),
  }),
  workers: z.array(workerReportSchema),
  /** The server that answers: whether committed events reach it, and so its browsers, at the moment. */
  server: z.object({ event_feed: z.enum(["running", "interrupted"]), version: z.string() }),
});
export type SystemHealth = z.infer<typeof systemHealthSchema>;
