import type { SignalRequest } from "@shared/contract/signal.ts";
import { ApiError, errorText } from "../../lib/api/errors.ts";
import { delay } from "../../lib/backoff.ts";
import { useRealtime } from "../../lib/realtime/store.ts";
import { requestSignal } from "./api.ts";
import { storeSignal } from "./apply-event.ts";
import { botMessages } from "./bot-messages.ts";
import { type Failure, type PendingRequest, track, useBot } from "./bot-store.ts";

/** Waits before an unanswered request is sent again, in milliseconds; its key keeps that from making a second signal. */
const RETRY_MS = { network: [1_000], timeout: [2_000, 5_000, 15_000] } as const;

/** After that long, nobody waits for the answer any more. */
const RESUME_WITHIN_MS = 5 * 60_000;

/** Images of the requests that are not answered yet, by key. */
const images = new Map<string, File>();

/** Keys being sent now, so that a page that opens again does not send them twice. */
const sending = new Set<string>();

/** What somebody asks for. */
export interface SignalDraft {
  request: SignalRequest;
  image: File | null;
}

interface NextAttempt {
  unanswered: PendingRequest | null;
  unansweredImage: File | null;
  now: number;
  newKey(): string;
}

/** The attempt to send for a wish: the unanswered one again if it asks the same, else a new one. */
export function nextAttempt({ request, image }: SignalDraft, next: NextAttempt): PendingRequest {
  const { unanswered, unansweredImage, now, newKey } = next;
  const isSame =
    unanswered &&
    JSON.stringify(unanswered.request) === JSON.stringify(request) &&
    unanswered.withImage === (image !== null) &&
    unansweredImage === image;
  const key = isSame ? unanswered.key : newKey();
  return { key, request, requestedAt: now, withImage: image !== null, givenUp: false };
}

/** 128 random bits; unlike `randomUUID`, also on pages that are not served over TLS. */
const randomKey = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");

/** Asks for a signal; what comes of it is found in the bot's store. */
export async function askSignal(wish: SignalDraft): Promise<void> {
  const { attempt: unanswered } = useBot.getState();
  const attempt = nextAttempt(wish, {
    unanswered,
    unansweredImage: imageOf(unanswered),
    now: Date.now(),
    newKey: randomKey,
  });
  images.clear();
  if (wish.image) images.set(attempt.key, wish.image);
  useBot.setState({ attempt, failure: null, selectedId: null });
  // Fetched ahead: what goes wrong with it comes up again where it is needed.
  loadSignalView().catch(() => null);
  await send(attempt);
}

const imageOf = (attempt: PendingRequest | null): File | null =>
  (attempt && images.get(attempt.key)) ?? null;

/** Takes up a request that a reload has interrupted before it was answered. */
export async function resumeAttempt(): Promise<void> {
  const { attempt } = useBot.getState();
  if (!attempt || attempt.givenUp || sending.has(attempt.key)) return;
  const isForgotten = Date.now() - attempt.requestedAt > RESUME_WITHIN_MS;
  if (isForgotten) useBot.setState({ attempt: null });
  else if (attempt.withImage && !imageOf(attempt)) loseImage(attempt);
  else await send(attempt);
}

/** Without its image, a request cannot be sent again; nobody knows whether the server had it. */
function loseImage(attempt: PendingRequest): void {
  const failure = { kind: "refused", text: botMessages.imageLost, attempt } as const;
  useBot.setState({ attempt: null, failure });
}

async function send(attempt: PendingRequest): Promise<void> {
  sending.add(attempt.key);
  try {
    await sendUntilAnswered(attempt);
  } finally {
    sending.delete(attempt.key);
  }
}

const isCurrent = ({ key }: PendingRequest) => useBot.getState().attempt?.key === key;

async function sendUntilAnswered(attempt: PendingRequest): Promise<void> {
  for (let tries = 0; isCurrent(attempt); tries += 1) {
    // Only what happens after the streams were joined is sure to be told by an event.
    const isToldOf = useRealtime.getState().ready;
    try {
      const reply = await requestSignal({ ...attempt, image: imageOf(attempt) });
      return accept(attempt, { reply, isToldOf });
    } catch (error) {
      const waitMs = retryWaitMs(error, tries);
      if (waitMs === undefined || isTimeout(error)) fail(attempt, error);
      if (waitMs === undefined) return;
      await delay(waitMs);
    }
  }
}

const isTimeout = (error: unknown) => error instanceof ApiError && error.isTimeout;

function retryWaitMs(error: unknown, tries: number): number | undefined {
  if (!(error instanceof ApiError)) return undefined;
  if (error.isTimeout) return RETRY_MS.timeout[tries];
  return error.isNetwork ? RETRY_MS.network[tries] : undefined;
}

function accept(
  attempt: PendingRequest,
  { reply, isToldOf }: { reply: Awaited<ReturnType<typeof requestSignal>>; isToldOf: boolean },
): void {
  const { symbol, timeframe } = attempt.request;
  const created_at = new Date(attempt.requestedAt).toISOString();
  const queued = { symbol, timeframe, created_at, origin: "request", analysis: null } as const;
  storeSignal({ ...queued, ...reply }, isToldOf ? Date.now() : 0);
  const { requestedAt, withImage } = attempt;
  track({ id: reply.signal_id, symbol, timeframe, requestedAt, withImage });
  images.delete(attempt.key);
  if (isCurrent(attempt)) useBot.setState({ attempt: null, failure: null });
}

function fail(attempt: PendingRequest, error: unknown): void {
  if (!isCurrent(attempt)) return;
  const kind = failureKind(error);
  const failure = { kind, text: errorText(error, botMessages.unknownError), attempt };
  const isUnanswered = error instanceof ApiError && (error.isNetwork || error.isTimeout);
  const unanswered = { ...attempt, givenUp: kind === "broken" };
  useBot.setState({ failure, attempt: isUnanswered ? unanswered : null });
}

/** A refusal is for the user to act on; anything else means that no analysis came out. */
function failureKind(error: unknown): Failure["kind"] {
  if (isTimeout(error)) return "late";
  const refused = error instanceof ApiError && error.status >= 400 && error.status < 500;
  return refused ? "refused" : "broken";
}

/** Loads what shows a signal; a visit without one does not need it. */
export const loadSignalView = () => import("./components/signal-view.tsx");
