import type { Me } from "@shared/contract/account.ts";
import type { EntryLeft, Outcome, SignalResponse, SignalStatus } from "@shared/contract/signal.ts";
import { create } from "zustand";
import type { LiveEvent } from "./events.ts";

/** The signed-in user, as far as it is known. */
export interface Account extends Omit<Me, "stream_positions"> {
  /** Number of the user's event that this state already contains. */
  asOfSeq: number;
}

/** What the server has told of since the streams were joined. */
export interface LiveState {
  connection: "connecting" | "online" | "offline";
  /** The stream positions are known, or could not be read: REST state read from now on misses no event. */
  ready: boolean;
  account: Account | null;
  /** Signals heard of, by id. */
  signals: Readonly<Record<string, SignalResponse>>;
  /** Outcomes heard of, by signal id. */
  outcomes: Readonly<Record<string, Outcome>>;
  /** Entries heard of that the price has left, by signal id. */
  entriesLeft: Readonly<Record<string, EntryLeft>>;
}

export const initialLiveState: LiveState = {
  connection: "connecting",
  ready: false,
  account: null,
  signals: {},
  outcomes: {},
  entriesLeft: {},
};

const PROGRESS: Record<SignalStatus, number> = { queued: 0, running: 1, completed: 2, failed: 2 };

export const isFinished = (status: SignalStatus): boolean => PROGRESS[status] === 2;

/** The one of two states of a signal that is further on; states never go back. */
export function newerSignal<A extends SignalResponse | undefined>(
  known: A,
  other: SignalResponse,
): SignalResponse {
  return known && PROGRESS[known.status] > PROGRESS[other.status] ? known : other;
}

/** The state with what `GET /me` says in place of what was known of the account. */
export function withAccount(state: LiveState, me: Me): LiveState {
  const { stream_positions, ...account } = me;
  return { ...state, ready: true, account: { ...account, asOfSeq: stream_positions.user } };
}

/** The state with a signal moved on. */
function withSignal(state: LiveState, signal: SignalResponse): LiveState {
  const next = newerSignal(state.signals[signal.signal_id], signal);
  return { ...state, signals: { ...state.signals, [signal.signal_id]: next } };
}

/** The state after one event; events of the admin stream and unknown accounts leave it as it is. */
export function applyEvent(state: LiveState, event: LiveEvent): LiveState {
  switch (event.name) {
    case "signal:queued":
      return withSignal(state, pendingSignal(event, "queued"));
    case "signal:started":
      return withSignal(state, pendingSignal(event, "running"));
    case "signal:completed":
    case "signal:failed":
      return withSignal(state, event.data);
    case "signal:outcome": {
      const { signal_id, outcome } = event.data;
      return { ...state, outcomes: { ...state.outcomes, [signal_id]: outcome } };
    }
    case "signal:entry-left": {
      const { signal_id, ...left } = event.data;
      return { ...state, entriesLeft: { ...state.entriesLeft, [signal_id]: left } };
    }
    case "history:cleared":
      return { ...state, signals: {}, outcomes: {}, entriesLeft: {} };
    case "account:updated": {
      const { reason, ...change } = event.data;
      const confirmed = reason === "email-verified" ? { email_verified: true } : {};
      return withAccountChange(state, event.seq, { ...change, ...confirmed });
    }
    case "proof:deleted":
      return withAccountChange(state, event.seq, { payment_proof: null });
    default:
      return state;
  }
}

function pendingSignal(
  event: Extract<LiveEvent, { name: "signal:queued" | "signal:started" }>,
  status: "queued" | "running",
): SignalResponse {
  return { ...event.data, status, created_at: event.at, origin: "request", analysis: null };
}

/** A missed event that `GET /me` already contains must not set the account back. */
function withAccountChange(state: LiveState, seq: number, change: Partial<Account>): LiveState {
  if (!state.account || seq <= state.account.asOfSeq) return state;
  return { ...state, account: { ...state.account, ...change, asOfSeq: seq } };
}

/** Live state of the signed-in user; written by the live connection, read by every screen. */
export const useRealtime = create<LiveState>()(() => initialLiveState);
