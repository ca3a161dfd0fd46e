import { z } from "zod";
import { MAX_WATCHED_PRICES } from "./constants.ts";
import { symbolSchema } from "./signal.ts";

/** Payload of `prices:watch`. Replaces the symbols that the socket watched before. */
export const watchPricesSchema = z.object({
  symbols: z
    .array(symbolSchema)
    .max(MAX_WATCHED_PRICES, { error: `Watch at most ${MAX_WATCHED_PRICES} symbols.` })
    .transform((symbols) => [...new Set(symbols)]),
});

/** Acknowledgement of `prices:watch`. On an error, the former symbols stay watched. */
export const watchedPricesSchema = z.union([
  z.object({ symbols: z.array(z.string()) }),
  z.object({ error: z.object({ code: z.string(), detail: z.string() }) }),
]);
export type WatchedPrices = z.infer<typeof watchedPricesSchema>;

/** Payload of `price`. `at` is when the market had the price. */
export const livePriceSchema = z.object({
  symbol: z.string(),
  price: z.number().positive(),
  at: z.iso.datetime(),
});
export type LivePrice = z.infer<typeof livePriceSchema>;

/** `fallback`: polled because the WebSocket of the exchange is lost. */
export const priceFeedSchema = z.enum(["websocket", "polling", "fallback"]);
export type PriceFeed = z.infer<typeof priceFeedSchema>;

const INTERVAL_MS = 1_000;
const EARLY_MS = 50;

/** When the price after one that is sent at `nowMs` is due. On average, there is one a second. */
export const nextPriceDueMs = (nowMs: number, dueMs: number): number =>
  Math.max(nowMs, dueMs) + INTERVAL_MS;

/**
 * How long a price is held back so that there is at most one a second. One that comes early waits for the next, which
 * replaces it: if it was sent as soon as it is due, all later prices of an exchange that sends one a second would wait
 * as long.
 * @param dueMs when the price is due, by the clock of `nowMs`
 */
export function priceHoldMs(nowMs: number, dueMs: number): number {
  const earlyMs = dueMs - nowMs;
  return earlyMs > EARLY_MS ? earlyMs + INTERVAL_MS : 0;
}
