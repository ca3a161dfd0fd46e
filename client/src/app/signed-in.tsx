import { meSchema } from "@shared/contract/account.ts";
import { lazy, Suspense, useEffect } from "react";
import { api } from "../lib/api/api.ts";
import { apiOrigin } from "../lib/env.ts";
import { LiveConnection } from "../lib/live/live-connection.ts";
import type { LiveEvent } from "../lib/live/live-event.ts";
import { onLiveEvent, tellListeners } from "../lib/live/live-listeners.ts";
import { useLive } from "../lib/live/live-store.ts";
import { readAgain } from "../lib/read-again.ts";
import { refreshProof } from "../lib/refresh-proof.ts";
import { useSession } from "../lib/session.ts";
import { useToasts } from "../ui/show-toast.ts";
import { ConnectionStrip } from "./connection-strip.tsx";
import { LiveToasts } from "./live-toasts.tsx";

const Toaster = lazy(async () => ({ default: (await import("../ui/toaster.tsx")).Toaster }));

/** What runs as long as one user is signed in; mounted anew for each session. */
export function SignedIn({ token }: { token: string }) {
  const hasToasts = useToasts(({ wanted }) => wanted);
  useEffect(() => {
    const connection = new LiveConnection({
      origin: apiOrigin,
      token,
      readMe: (signal) => api({ path: "/me", schema: meSchema, signal }),
      store: useLive,
      onEvent: tellListeners,
      onStale: () => void readAgain(),
      onEnded: useSession.getState().signOut,
    });
    return () => connection.stop();
  }, [token]);
  useEffect(() => onLiveEvent(followProof), []);
  return (
    <>
      <ConnectionStrip />
      <LiveToasts />
      {hasToasts && (
        <Suspense fallback={null}>
          <Toaster />
        </Suspense>
      )}
    </>
  );
}

/** A proof that was sent in another tab; without an answer, what is known of it stays as it is. */
function followProof(event: LiveEvent): void {
  if (event.name !== "account:updated" || event.data.reason !== "proof-submitted") return;
  refreshProof().catch(() => null);
}
