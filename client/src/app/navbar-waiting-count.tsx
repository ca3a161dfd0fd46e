import { useEffect } from "react";
import { OVERVIEW_KEY, useOverview } from "../lib/admin-overview.ts";
import { refetch } from "../lib/query-client.ts";
import { onLiveEvent } from "../lib/realtime/events.ts";
import { useWaitingCount } from "./nav-items.tsx";

/** Events come in bursts. One read serves them all. */
const REFRESH_DELAY_MS = 500;

/** Keeps the count of the badge beside the link to administration. */
export function NavbarWaitingCount() {
  const { data } = useOverview();
  useEffect(() => {
    if (data) useWaitingCount.setState({ waiting: data.proofs + data.problems.length });
  }, [data]);
  useEffect(() => () => useWaitingCount.setState({ waiting: 0 }), []);
  useEffect(followOverview, []);
  return null;
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
