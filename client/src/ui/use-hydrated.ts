import { useSyncExternalStore } from "react";

const never = () => () => {};

/** Whether the page is the reader's own already; while it is pre-rendered, and compared with that, it is nobody's. */
export const useHydrated = (): boolean =>
  useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
