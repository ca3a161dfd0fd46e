import { initialLiveState } from "../lib/live/live-state.ts";
import { useLive } from "../lib/live/live-store.ts";
import { queryClient } from "../lib/query-client.ts";
import { followOtherTabs, useSession } from "../lib/session.ts";

/** Forgets everything known of one user as soon as he is no longer the one signed in, in this tab or another. */
export function keepSessionsApart(): void {
  followOtherTabs();
  useSession.subscribe((session, before) => {
    if (session.token === before.token) return;
    queryClient.clear();
    useLive.setState(initialLiveState);
  });
}
