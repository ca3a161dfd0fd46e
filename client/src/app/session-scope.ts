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
  useLive.subscribe(({ account, connection }, before) => {
    if (account && account !== before.account) useSession.getState().setAccess(account);
    if (connection === "online" && before.connection !== "online") readAgainWhatFailed();
  });
  useSession.subscribe((session, before) => {
    if (session.token === before.token) return;
    queryClient.clear();
    useLive.setState(initialLiveState);
  });
}

/** What could not be read while the server was out of reach is read as soon as it is back. */
function readAgainWhatFailed(): void {
  void queryClient.refetchQueries({
    type: "active",
    predicate: (query) => query.state.status === "error",
  });
}
