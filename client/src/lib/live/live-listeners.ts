import type { LiveEvent } from "./live-event.ts";

type Listener = (event: LiveEvent) => void;

const listeners = new Set<Listener>();

/** Calls `listener` after each event has been applied; returns the function that stops it. */
export function onLiveEvent(listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export function tellListeners(event: LiveEvent): void {
  for (const listener of listeners) listener(event);
}
