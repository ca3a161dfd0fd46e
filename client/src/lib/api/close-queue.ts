import { apiOrigin } from "../env.ts";

/**
 * Ends what an administrator has opened of the job queue in this session. It goes by a cookie of its own, which the page
 * that signs out can neither see nor remove. Out of reach of the server it ends by itself within 30 minutes.
 */
export async function closeQueue(token: string): Promise<void> {
  const headers = { Authorization: `Bearer ${token}` };
  await fetch(`${apiOrigin}/admin/queue/leave`, { method: "POST", headers, keepalive: true });
}
