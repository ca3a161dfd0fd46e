import { initialLiveState } from "../lib/live/live-state.ts";
import { useLive } from "../lib/live/live-store.ts";
import { queryClient } from "../lib/query-client.ts";
import { followOtherTabs, useSession } from "../lib/session.ts";

/**
 * Ties the stores to the session: what the server says of the account decides at once where its user may go,
 * and everything known of one user is forgotten as soon as he is no longer the one signed in, in this tab or another.
 */
export function followSession(): void {
  followOtherTabs();
  useLive.subscribe(({ account }, before) => {
    if (account && account !== before.account) useSession.getState().setAccess(account);
  });
  useSession.subscribe((session, before) => {
    if (session.token === before.token) return;
    queryClient.clear();
    useLive.setState(initialLiveState);
  });
}
