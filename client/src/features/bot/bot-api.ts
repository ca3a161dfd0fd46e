import { type SignalCandles, signalCandlesSchema } from "@shared/contract/candle.ts";
import { TIMEOUTS_MS } from "@shared/contract/constants.ts";
import {
  type SignalAccepted,
  type SignalRequest,
  type SignalResponse,
  signalAcceptedSchema,
  signalResponseSchema,
} from "@shared/contract/signal.ts";
import { type Status, statusSchema } from "@shared/contract/status.ts";
import { z } from "zod";
import { api } from "../../lib/api/api.ts";

/** A repeated request may be answered with the signal itself. */
const signalReplySchema = z.union([signalResponseSchema, signalAcceptedSchema]);

/** Asks for a signal without waiting for it; the same key never makes a second one. */
export const requestSignal = (input: {
  key: string;
  request: SignalRequest;
}): Promise<SignalResponse | SignalAccepted> =>
  api({
    method: "POST",
    path: "/get-signal",
    body: input.request,
    headers: { Prefer: "respond-async", "Idempotency-Key": input.key },
    timeoutMs: TIMEOUTS_MS.signal,
    schema: signalReplySchema,
  });

export const readSignal = (id: string, signal: AbortSignal): Promise<SignalResponse> =>
  api({ path: `/signals/${encodeURIComponent(id)}`, schema: signalResponseSchema, signal });

export const readCandles = (id: string, signal: AbortSignal): Promise<SignalCandles> =>
  api({ path: `/signals/${encodeURIComponent(id)}/candles`, schema: signalCandlesSchema, signal });

export const readStatus = (signal: AbortSignal): Promise<Status> =>
  api({ path: "/status", schema: statusSchema, signal });
