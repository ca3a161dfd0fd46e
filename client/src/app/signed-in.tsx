import { meSchema } from "@shared/contract/account.ts";
import { useEffect } from "react";
import { api } from "../lib/api/api.ts";
import { apiOrigin } from "../lib/env.ts";
import { LiveConnection } from "../lib/live/live-connection.ts";
import { tellListeners } from "../lib/live/live-listeners.ts";
import { useLive } from "../lib/live/live-store.ts";
import { queryClient } from "../lib/query-client.ts";
import { useSession } from "../lib/session.ts";
import { Toaster } from "../ui/toaster.tsx";
import { ConnectionStrip } from "./connection-strip.tsx";
import { LiveToasts } from "./live-toasts.tsx";

/** What runs as long as one user is signed in; mounted anew for each session. */
export function SignedIn({ token }: { token: string }) {
  useEffect(() => {
    const connection = new LiveConnection({
      origin: apiOrigin,
      token,
      readMe: (signal) => api({ path: "/me", schema: meSchema, signal }),
      store: useLive,
      onEvent: tellListeners,
      onStale: () => void queryClient.invalidateQueries(),
      onEnded: useSession.getState().signOut,
    });
    return () => connection.stop();
  }, [token]);
  return (
    <>
      <ConnectionStrip />
      <LiveToasts />
      <Toaster />
    </>
  );
}
