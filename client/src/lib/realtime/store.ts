import { create } from "zustand";

export interface LiveState {
  /** `paused`: the server has closed it for a newer one of the user. */
  connection: "connecting" | "online" | "offline" | "paused";
  /** The stream positions are known or could not be read. Responses to requests made from now on miss no event. */
  ready: boolean;
}

export const initialLiveState: LiveState = { connection: "connecting", ready: false };

/** State of the connection, which writes it. */
export const useRealtime = create<LiveState>()(() => initialLiveState);
