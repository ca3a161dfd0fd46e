import type { Me } from "@shared/contract/account.ts";
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
}

export const initialLiveState: LiveState = {
  connection: "connecting",
  ready: false,
  account: null,
};

/** The state with what `GET /me` says in place of what was known of the account. */
export function withAccount(state: LiveState, me: Me): LiveState {
  const { stream_positions, ...account } = me;
  return { ...state, ready: true, account: { ...account, asOfSeq: stream_positions.user } };
}

/** The state after one event of the account; other events leave it unchanged. */
export function applyEvent(state: LiveState, event: LiveEvent): LiveState {
  switch (event.name) {
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

/** A missed event that `GET /me` already contains must not set the account back. */
function withAccountChange(state: LiveState, seq: number, change: Partial<Account>): LiveState {
  if (!state.account || seq <= state.account.asOfSeq) return state;
  return { ...state, account: { ...state.account, ...change, asOfSeq: seq } };
}

/** Live state of the signed-in user; written by the live connection, read by every screen. */
export const useRealtime = create<LiveState>()(() => initialLiveState);
