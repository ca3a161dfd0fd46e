import { apiOrigin } from "../env.ts";

/** Ends the session on the server, also if the page is closed meanwhile. */
export async function endSession(token: string): Promise<void> {
  const headers = { Authorization: `Bearer ${token}` };
  await fetch(`${apiOrigin}/logout`, { method: "POST", headers, keepalive: true });
}
