import { TIMEOUTS_MS } from "@shared/contract/constants.ts";
import {
  type SignalRequest,
  signalAcceptedSchema,
  signalResponseSchema,
} from "@shared/contract/signal.ts";
import { z } from "zod";
import { addRecent } from "../../domain/symbols.ts";
import { api } from "../../lib/api/client.ts";
import { ApiError, errorText } from "../../lib/api/errors.ts";
import { delay } from "../../lib/backoff.ts";
import { randomKey } from "../../lib/random-key.ts";
import { useRealtime } from "../../lib/realtime/store.ts";
import { storeSignal } from "../signals/apply-event.ts";
import { type BotState, type Failure, type PendingRequest, track, useBot } from "./bot-store.ts";

const RETRY_DELAYS_MS = { network: [1_000], timeout: [2_000, 5_000, 15_000] } as const;

const MAX_RESUME_AGE_MS = 5 * 60_000;

/** Keys that are being sent, so that reopening the page does not send them twice. */
const sending = new Set<string>();

interface SignalDraft {
  request: SignalRequest;
  image: File | null;
}

/** The request to send for a draft: the unanswered one if it asks for the same, otherwise a new one. */
export function nextPending(
  { request, image }: SignalDraft,
  unanswered: Pick<BotState, "pending" | "image">,
): PendingRequest {
  const { pending } = unanswered;
  const isSame =
    pending !== null &&
    JSON.stringify(pending.request) === JSON.stringify(request) &&
    pending.withImage === (image !== null) &&
    unanswered.image === image;
  return {
    key: isSame ? pending.key : randomKey(),
    request,
    requestedAt: Date.now(),
    withImage: image !== null,
    givenUp: false,
  };
}

/** Requests a signal; the result is in the bot's store. */
export async function submitRequest(draft: SignalDraft): Promise<void> {
  const pending = nextPending(draft, useBot.getState());
  useBot.setState({ pending, image: draft.image, failure: null, selectedId: null });
  // A prefetch: its error occurs again where the code is needed.
  loadSignalView().catch(() => null);
  await send(pending);
}

export async function resumePending(): Promise<void> {
  const { pending, image } = useBot.getState();
  if (!pending || pending.givenUp || sending.has(pending.key)) return;
  if (Date.now() - pending.requestedAt > MAX_RESUME_AGE_MS) {
    useBot.setState({ pending: null });
  } else if (pending.withImage && !image) {
    const failure = { kind: "refused", text: IMAGE_LOST, pending } as const;
    useBot.setState({ pending: null, failure });
  } else {
    await send(pending);
  }
}

const IMAGE_LOST =
  "The page was reloaded before the server responded, and the chart image is lost. If your signal is not in your history, attach the image and try again.";

async function send(pending: PendingRequest): Promise<void> {
  sending.add(pending.key);
  try {
    await sendUntilAnswered(pending);
  } finally {
    sending.delete(pending.key);
  }
}

const isCurrent = ({ key }: PendingRequest) => useBot.getState().pending?.key === key;

async function sendUntilAnswered(pending: PendingRequest): Promise<void> {
  for (let tries = 0; isCurrent(pending); tries += 1) {
    // Events are only certain to arrive for what happens after the streams were joined.
    const isPushed = useRealtime.getState().ready;
    try {
      return accept(pending, await requestSignal(pending), isPushed);
    } catch (error) {
      const delayMs = retryDelayMs(error, tries);
      if (delayMs === undefined || isTimeout(error)) fail(pending, error);
      if (delayMs === undefined) return;
      await delay(delayMs);
    }
  }
}

/** A repeated request may be answered with the signal itself. */
const replySchema = z.union([signalResponseSchema, signalAcceptedSchema]);

function requestSignal({ key, request }: PendingRequest): Promise<Reply> {
  const { image } = useBot.getState();
  return api({
    method: "POST",
    path: image ? "/get-signal-with-image" : "/get-signal",
    body: image ? imageForm(request, image) : request,
    headers: { Prefer: "respond-async", "Idempotency-Key": key },
    timeoutMs: image ? TIMEOUTS_MS.signalWithImage : TIMEOUTS_MS.signal,
    schema: replySchema,
  });
}

function imageForm(request: SignalRequest, image: File): FormData {
  const form = new FormData();
  for (const [field, value] of Object.entries(request)) form.set(field, String(value));
  form.set("chart_image", image);
  return form;
}

const isTimeout = (error: unknown) => error instanceof ApiError && error.isTimeout;
const isNetwork = (error: unknown) => error instanceof ApiError && error.isNetwork;

function retryDelayMs(error: unknown, tries: number): number | undefined {
  if (isTimeout(error)) return RETRY_DELAYS_MS.timeout[tries];
  return isNetwork(error) ? RETRY_DELAYS_MS.network[tries] : undefined;
}

type Reply = z.infer<typeof replySchema>;

function accept(pending: PendingRequest, reply: Reply, isPushed: boolean): void {
  const { request, requestedAt, withImage } = pending;
  const { symbol, timeframe } = request;
  const created_at = new Date(requestedAt).toISOString();
  const queued = { symbol, timeframe, created_at, origin: "request", analysis: null } as const;
  storeSignal({ ...queued, ...reply }, isPushed ? Date.now() : 0);
  track({ id: reply.signal_id, symbol, timeframe, requestedAt, withImage });
  addRecent(symbol);
  if (isCurrent(pending)) useBot.setState({ pending: null, image: null, failure: null });
}

function fail(pending: PendingRequest, error: unknown): void {
  if (!isCurrent(pending)) return;
  const kind = failureKind(error);
  const failure = { kind, text: errorText(error, "Unknown error"), pending };
  const isUnanswered = isNetwork(error) || isTimeout(error);
  const unanswered = { ...pending, givenUp: kind === "broken" };
  useBot.setState({ failure, pending: isUnanswered ? unanswered : null });
}

/** The user can correct a refused request; anything else is shown as a failed analysis. */
function failureKind(error: unknown): Failure["kind"] {
  if (isTimeout(error)) return "late";
  const isRefused = error instanceof ApiError && error.status >= 400 && error.status < 500;
  return isRefused ? "refused" : "broken";
}

export const loadSignalView = () => import("./components/signal-view.tsx");
