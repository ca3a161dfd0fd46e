import { create } from "zustand";

export interface LiveState {
  connection: "connecting" | "online" | "offline";
  /** The stream positions are known or could not be read. Responses to requests made from now on miss no event. */
  ready: boolean;
}

export const initialLiveState: LiveState = { connection: "connecting", ready: false };

/** State of the connection, which writes it. */
export const useRealtime = create<LiveState>()(() => initialLiveState);
