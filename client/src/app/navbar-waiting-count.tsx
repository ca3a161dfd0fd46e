import { useEffect } from "react";
import { OVERVIEW_KEY, useOverview } from "../domain/admin-overview.ts";
import { refetch } from "../lib/query-client.ts";
import { onLiveEvent } from "../lib/realtime/events.ts";

/** Events come in bursts. One read serves them all. */
const REFRESH_DELAY_MS = 500;

const MAX_SHOWN = 99;

/** Keeps the count of the badge current. */
export function NavbarWaitingCount() {
  useEffect(followOverview, []);
  return null;
}

export function NavbarAdminBadge() {
  const { data } = useOverview();
  const waiting = data ? data.proofs + data.problems.length : 0;
  return (
    <span role="status" className="pointer-events-none absolute -top-0.5 -right-1.5">
      {waiting > 0 && (
        <span className="figures flex h-4.5 min-w-4.5 animate-enter items-center justify-center rounded-full bg-accent px-1 text-xs font-semibold text-on-accent">
          <span aria-hidden>{Math.min(waiting, MAX_SHOWN)}</span>
          <span className="sr-only">{waiting} waiting for you</span>
        </span>
      )}
    </span>
  );
}

/** Reads the counts again after events that may change them. Returns a function that stops it. */
function followOverview(): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stop = onLiveEvent(({ stream }) => {
    if (stream !== "admins") return;
    timer ??= setTimeout(() => {
      timer = undefined;
      void refetch({ queryKey: OVERVIEW_KEY });
    }, REFRESH_DELAY_MS);
  });
  return () => {
    stop();
    clearTimeout(timer);
  };
}
