import { MAX_SOCKETS_PER_USER } from "@shared/contract/constants.ts";
import { WifiOff } from "lucide-react";
import { useEffect, useState } from "react";
import { useLocation, useNavigate } from "react-router-dom";
import { applySignalEvent } from "../features/signals/apply-event.ts";
import { apiOrigin } from "../lib/env.ts";
import { applyAccountEvent, readMe, useMe } from "../lib/me.ts";
import { refetch } from "../lib/query-client.ts";
import { LiveConnection } from "../lib/realtime/connection.ts";
import { type LiveEvent, notifyListeners, onLiveEvent } from "../lib/realtime/events.ts";
import { useRealtime } from "../lib/realtime/store.ts";
import { useSession } from "../lib/session.ts";
import { lazyComponent } from "../ui/lazy-component.tsx";
import { showToast, useToasts } from "../ui/show-toast.ts";
import { describeNotification } from "./describe-notification.ts";
import { followView, notifyIfHidden, resetOnVisible, showsSignals } from "./unseen.ts";

const Toaster = lazyComponent(() => import("../ui/toaster.tsx"), "Toaster");

/** Runs while one user is signed in; mounted again for each session. */
export function SignedIn({ token }: { token: string }) {
  const hasToasts = useToasts(({ wanted }) => wanted);
  const me = useMe();
  useEffect(() => {
    if (me) useSession.getState().setAccess(me);
  }, [me]);
  useEffect(() => {
    const connection = new LiveConnection({
      origin: apiOrigin,
      token,
      readMe,
      onEvent,
      onStale: () => void refetch(),
      onEnded: useSession.getState().signOut,
    });
    return () => connection.stop();
  }, [token]);
  return (
    <>
      <ConnectionStrip />
      <EventToasts />
      {hasToasts && <Toaster />}
    </>
  );
}

function onEvent(event: LiveEvent): void {
  applySignalEvent(event);
  applyAccountEvent(event);
  notifyListeners(event);
}

/** Shows toasts for events of other screens, and for all signals that finish while the tab is hidden. */
function EventToasts() {
  const { pathname } = useLocation();
  const navigate = useNavigate();
  useEffect(followView, []);
  useEffect(resetOnVisible, []);
  useEffect(
    () =>
      onLiveEvent((event) => {
        if (event.name === "account:updated" && toastedReasons.includes(event.data.reason)) {
          const { title, text: description } = describeNotification(event);
          showToast({ title, description });
        }
        if (event.name !== "signal:completed" && event.name !== "signal:failed") return;
        const { title, text } = describeNotification(event);
        const open = () => void navigate(`/bot?signal=${event.data.signal_id}`);
        const isHidden = document.visibilityState === "hidden";
        if (isHidden || !showsSignals(pathname)) {
          showToast({ title, description: text, action: { label: "View", run: open } });
        }
        notifyIfHidden(event, { title, text, open });
      }),
    [pathname, navigate],
  );
  return null;
}

const toastedReasons: readonly string[] = ["approved", "revoked"];

/** Shorter interruptions are not shown. */
const OFFLINE_DELAY_MS = 2_000;

/** Its first sentence fits into one line of a small screen, so that it does not cover the heading. */
const paused = (
  <span>
    Updates are paused: over {MAX_SOCKETS_PER_USER} tabs are open.
    <span className="max-sm:hidden"> They continue when you use this tab.</span>
  </span>
);

/** Reports an interrupted connection above the heading of the page, without moving it. */
function ConnectionStrip() {
  const connection = useRealtime((live) => live.connection);
  const online = connection === "online";
  const [late, setLate] = useState(false);
  useEffect(() => {
    if (online) return;
    const timer = setTimeout(() => setLate(true), OFFLINE_DELAY_MS);
    return () => {
      clearTimeout(timer);
      setLate(false);
    };
  }, [online]);
  return (
    <div role="status" className="relative z-10 h-0">
      {late && (
        <p className="flex animate-enter items-center justify-center gap-2 border-b border-line bg-raised px-4 py-1.5 text-sm text-ink-muted">
          <WifiOff aria-hidden className="size-4 shrink-0" />
          {connection === "paused" ? paused : "Offline, reconnecting…"}
        </p>
      )}
    </div>
  );
}
