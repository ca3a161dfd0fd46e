import { apiOrigin } from "../env.ts";

/** Ends the queue dashboard's session. Its cookie is invisible to this page, and expires after 30 minutes. */
export async function closeQueue(token: string): Promise<void> {
  const headers = { Authorization: `Bearer ${token}` };
  await fetch(`${apiOrigin}/admin/queue/leave`, { method: "POST", headers, keepalive: true });
}
