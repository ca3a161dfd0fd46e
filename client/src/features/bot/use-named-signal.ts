import { type RefObject, useEffect } from "react";
import { useNavigate, useSearchParams } from "react-router-dom";
import { useLive } from "../../lib/live/live-store.ts";
import { select, track, useBot } from "./bot-store.ts";

/** Shows the signal that the address names, and takes its reader there; one that this tab does not know is in the history. */
export function useNamedSignal(results: RefObject<HTMLElement | null>): void {
  const [parameters] = useSearchParams();
  const navigate = useNavigate();
  const id = parameters.get("signal");
  useEffect(() => {
    if (id === null) return;
    if (!open(id)) return void navigate(`/signal-history?id=${id}`, { replace: true });
    void navigate("/bot", { replace: true });
    results.current?.focus({ preventScroll: true });
    results.current?.scrollIntoView({ block: "nearest" });
  }, [id, navigate, results]);
}

function open(id: string): boolean {
  const isTracked = useBot.getState().tracked.some((signal) => signal.id === id);
  const heardOf = useLive.getState().signals[id];
  if (!isTracked && heardOf) {
    const { symbol, timeframe, created_at } = heardOf;
    const requestedAt = Date.parse(created_at);
    track({ id, symbol, timeframe, requestedAt, withImage: false });
  }
  if (isTracked || heardOf) select(id);
  return isTracked || heardOf !== undefined;
}
