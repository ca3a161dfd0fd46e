import { apiOrigin } from "../env.ts";
import { useSession } from "../session.ts";
import { createApiClient } from "./api-client.ts";

/** The API as the current session may use it; a refused token ends the session. */
export const api = createApiClient({
  origin: apiOrigin,
  getToken: () => useSession.getState().token,
  onError(error, token) {
    const session = useSession.getState();
    const isCurrent = token !== null && token === session.token;
    if (!isCurrent) return;
    if (error.status === 401) session.signOut("expired");
    if (error.code === "not-approved") {
      session.setAccess({ approved: false, role: session.isAdmin ? "admin" : "user" });
    }
    if (error.code === "not-admin") {
      session.setAccess({ approved: session.approved, role: "user" });
    }
  },
});
