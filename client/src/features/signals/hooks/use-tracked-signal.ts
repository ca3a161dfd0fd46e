import type { SignalResponse } from "@shared/contract/signal.ts";
import { useEffect } from "react";
import { ApiError } from "../../../lib/api/errors.ts";
import { untrack } from "../bot-store.ts";
import { useSignal } from "./use-signal.ts";

/** A signal of this tab, which forgets it if the server does not know it. */
export function useTrackedSignal(id: string | null): SignalResponse | undefined {
  const { data, error } = useSignal(id);
  const isUnknown = error instanceof ApiError && error.status === 404;
  useEffect(() => {
    if (isUnknown && id !== null) untrack(id);
  }, [isUnknown, id]);
  return data;
}
