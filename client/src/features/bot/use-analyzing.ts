import { isFinished } from "../../lib/live/live-state.ts";
import { useNow } from "../../ui/use-now.ts";
import { isLate, useBot } from "./bot-store.ts";
import { useSignal } from "./signal-query.ts";

/** Whether this tab's newest request is still being worked on, within the time the client waits for it. */
export function useAnalyzing(): boolean {
  const sending = useBot(
    ({ attempt, failure }) => attempt !== null && !attempt.givenUp && !failure,
  );
  const newest = useBot(({ tracked }) => tracked[0]);
  const signal = useSignal(newest?.id ?? null);
  const isOpen = newest !== undefined && (!signal || !isFinished(signal.status));
  const now = useNow(isOpen);
  return sending || (isOpen && !isLate(newest, now));
}
