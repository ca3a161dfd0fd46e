import type { Me } from "@shared/contract/account.ts";
import { create } from "zustand";
import type { LiveEvent } from "./events.ts";

/** The signed-in user. */
export interface Account extends Omit<Me, "stream_positions"> {
  /** Number of the last event of the user's stream that this state contains. */
  asOfSeq: number;
}

export interface LiveState {
  connection: "connecting" | "online" | "offline";
  /** The stream positions are known or could not be read. Responses to requests made from now on miss no event. */
  ready: boolean;
  account: Account | null;
}

export const initialLiveState: LiveState = {
  connection: "connecting",
  ready: false,
  account: null,
};

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

/** `GET /me` may contain the event already, and later ones too. */
function withAccountChange(state: LiveState, seq: number, change: Partial<Account>): LiveState {
  if (!state.account || seq <= state.account.asOfSeq) return state;
  return { ...state, account: { ...state.account, ...change, asOfSeq: seq } };
}

/** State of the connection and the account; written by the connection. */
export const useRealtime = create<LiveState>()(() => initialLiveState);
