import { useSyncExternalStore } from "react";

/** Returns false while a pre-rendered page is hydrated, which must match what a visitor sees. */
export const useHydrated = (): boolean =>
  useSyncExternalStore(
    noopSubscribe,
    () => true,
    () => false,
  );

/** For `useSyncExternalStore`, when a value differs between pre-rendering and the browser but does not change. */
export const noopSubscribe = () => () => undefined;

/** Continues in a new task, so that the browser can handle input first. */
export const yieldToMain = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));
