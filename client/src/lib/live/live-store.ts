import { create } from "zustand";
import { initialLiveState, type LiveState } from "./live-state.ts";

/** Live state of the signed-in user; written by the live connection, read by every screen. */
export const useLive = create<LiveState>()(() => initialLiveState);
