import { useSyncExternalStore } from "react";
import { neverChanges } from "../lib/never-changes.ts";

/** Whether the page is the reader's own already; while it is pre-rendered, and compared with that, it is nobody's. */
export const useHydrated = (): boolean =>
  useSyncExternalStore(
    neverChanges,
    () => true,
    () => false,
  );
