import { apiOrigin } from "../env.ts";

/** Ends the session on the server, also if the page is closed meanwhile, and pushes to this browser until the next login. */
export async function endSession(token: string): Promise<void> {
  const headers = { Authorization: `Bearer ${token}` };
  const ended = fetch(`${apiOrigin}/logout`, { method: "POST", headers, keepalive: true });
  await Promise.all([ended, unsubscribeFromPush()]);
}

async function unsubscribeFromPush(): Promise<void> {
  if (!("serviceWorker" in navigator)) return;
  const registration = await navigator.serviceWorker.getRegistration();
  const subscription = await registration?.pushManager.getSubscription();
  await subscription?.unsubscribe();
}
