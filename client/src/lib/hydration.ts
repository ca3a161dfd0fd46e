import { useSyncExternalStore } from "react";

/** Whether the page is the reader's own already; while it is pre-rendered, and compared with that, it is nobody's. */
export const useHydrated = (): boolean =>
  useSyncExternalStore(
    noopSubscribe,
    () => true,
    () => false,
  );

/** For `useSyncExternalStore`, of what differs between a pre-rendered page and the browser but stays as it is there. */
export const noopSubscribe = () => () => undefined;

/** Lets the browser answer its reader before the work goes on: what follows runs in a task of its own. */
export const yieldToMain = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));
