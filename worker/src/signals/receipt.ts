import { createHash } from "node:crypto";
import type { Candle } from "@shared/contract/candle.ts";
import { analystNameSchema, marketDataSourceSchema } from "@shared/contract/status.ts";
import { z } from "zod";
import { stageSchema } from "./stage-timer.ts";

const sha256Schema = z.string().regex(/^[0-9a-f]{64}$/);
const countSchema = z.number().int().nonnegative();
const tokenUsageSchema = z.object({ promptTokens: countSchema, completionTokens: countSchema });

/** One question to the analyst and its reply, word for word. */
const exchangeSchema = z.object({
  prompt: z.string(),
  rawReply: z.string(),
  /** What was wrong with the reply before, as it was sent along. */
  corrections: z.array(z.string()),
  /** What was wrong with this reply; empty when it was accepted. */
  rejectedFor: z.array(z.string()),
  /** Calls it took, failed ones included. */
  tries: z.number().int().positive(),
  usage: tokenUsageSchema.nullable(),
});

/** How a signal came about, enough for anyone to recompute or dispute it. */
export const signalReceiptSchema = z.object({
  candles: z.object({
    /** See `hashCandles`. */
    sha256: sha256Schema,
    count: countSchema,
    /** Opening time of the last closed candle. */
    lastTime: z.iso.datetime(),
    provider: z.string(),
    data: marketDataSourceSchema,
  }),
  analyst: analystNameSchema,
  model: z.string(),
  /** SHA-256 of the chart image's data URL; null without one. */
  chartImageSha256: sha256Schema.nullable(),
  /** Oldest first; the last one decided. */
  exchanges: z.array(exchangeSchema).min(1),
  /** Tokens of all exchanges; null where the analyst counts none. */
  usage: tokenUsageSchema.nullable(),
  /** USD per unit of the quote currency, where sizing needed a rate of another market. */
  quoteToUsd: z.number().positive().nullable(),
  durationsMs: z.record(stageSchema, z.number().nonnegative()),
});
export type SignalReceipt = z.infer<typeof signalReceiptSchema>;

/**
 * SHA-256, in hex, of the UTF-8 text `[[time,open,high,low,close,volume],…]`: the candles oldest first, as JSON without
 * blanks, numbers as ECMAScript writes them. In a browser's console it is the hash of
 * `JSON.stringify(candles.map((c) => [c.time, c.open, c.high, c.low, c.close, c.volume]))`.
 */
export function hashCandles(candles: readonly Candle[]): string {
  const rows = candles.map((candle) => [
    candle.time,
    candle.open,
    candle.high,
    candle.low,
    candle.close,
    candle.volume,
  ]);
  return sha256(JSON.stringify(rows));
}

/** SHA-256 of a text's UTF-8 bytes, in hex. */
export function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
