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
import { api } from "../../lib/api/client.ts";

/** A repeated request may be answered with the signal itself. */
const signalReplySchema = z.union([signalResponseSchema, signalAcceptedSchema]);

interface SignalPayload {
  key: string;
  request: SignalRequest;
  /** A picture of a chart to be judged with it; costs a credit. */
  image: File | null;
}

/** Asks for a signal without waiting for it; the same key never makes a second one, nor costs a second credit. */
export const requestSignal = ({
  key,
  request,
  image,
}: SignalPayload): Promise<SignalResponse | SignalAccepted> =>
  api({
    method: "POST",
    path: image ? "/get-signal-with-image" : "/get-signal",
    body: image ? imageForm(request, image) : request,
    headers: { Prefer: "respond-async", "Idempotency-Key": key },
    timeoutMs: image ? TIMEOUTS_MS.signalWithImage : TIMEOUTS_MS.signal,
    schema: signalReplySchema,
  });

function imageForm(request: SignalRequest, image: File): FormData {
  const form = new FormData();
  for (const [field, value] of Object.entries(request)) form.set(field, String(value));
  form.set("chart_image", image);
  return form;
}

export const readSignal = (id: string, signal: AbortSignal): Promise<SignalResponse> =>
  api({ path: "/signals/:id", params: { id }, schema: signalResponseSchema, signal });

export const readCandles = (id: string, signal: AbortSignal): Promise<SignalCandles> =>
  api({ path: "/signals/:id/candles", params: { id }, schema: signalCandlesSchema, signal });

export const readStatus = (signal: AbortSignal): Promise<Status> =>
  api({ path: "/status", schema: statusSchema, signal });
