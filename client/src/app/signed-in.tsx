import { MAX_SOCKETS_PER_USER } from "@shared/contract/constants.ts";
import type { EventText } from "@shared/contract/events/event-entry.ts";
import { isToasted } from "@shared/contract/events/event-table.ts";
import { WifiOff } from "lucide-react";
import { useEffect, useState } from "react";
import { type NavigateFunction, useLocation, useNavigate } from "react-router-dom";
import { applyAccountEvent, meQuery, readMe, refetchMe, useMe } from "../domain/me.ts";
import { forgetKeptSignals, keepSignals } from "../features/history/kept-signals.ts";
import { applySignalEvent } from "../features/signals/apply-event.ts";
import { apiOrigin } from "../lib/env.ts";
import { queryClient, refetch } from "../lib/query-client.ts";
import { LiveConnection } from "../lib/realtime/connection.ts";
import { type LiveEvent, notifyListeners, onLiveEvent } from "../lib/realtime/events.ts";
import { useRealtime } from "../lib/realtime/store.ts";
import { useSession } from "../lib/session.ts";
import { lazyComponent } from "../ui/lazy-component.tsx";
import { showToast, useToasts } from "../ui/show-toast.ts";
import { ChannelProblems } from "./channel-problems.tsx";
import { describeNotification } from "./describe-notification.ts";
import { adminLink } from "./nav-items.tsx";
import { Strip, Strips } from "./strip.tsx";
import { followView, notifyIfHidden, resetOnVisible, showsSignals } from "./unseen.ts";

const Toaster = lazyComponent(() => import("../ui/toaster.tsx"), "Toaster", { isSilent: true });

/** Runs while one user is signed in; mounted again for each session. */
export function SignedIn({ token }: { token: string }) {
  const hasToasts = useToasts(({ wanted }) => wanted);
  const me = useMe();
  useEffect(() => {
    if (me) useSession.getState().setAccess(me);
  }, [me]);
  useEffect(refetchOnRefusal, []);
  useEffect(() => prepareOffline(token), [token]);
  // Effects of the components below run first, so they are subscribed before the first event.
  useEffect(() => {
    const connection = new LiveConnection({
      apiUrl: apiOrigin,
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
      <Strips>
        <ChannelProblems />
        <ConnectionStrip />
      </Strips>
      <EventToasts />
      {hasToasts && <Toaster />}
    </>
  );
}

/** A request may be refused before the event about the end of the access arrives. The account says why. */
const refetchOnRefusal = () =>
  useSession.subscribe(({ token, approved }, before) => {
    const isRefused = token !== null && before.approved && !approved;
    if (isRefused && queryClient.getQueryData(meQuery.queryKey)?.approved) void refetchMe();
  });

/** What the service worker keeps is for later: its requests would compete with those of the page that is opening. */
const INSTALL_DELAY_MS = 5_000;

/** Keeps what the offline page shows until this session ends. */
function prepareOffline(token: string): () => void {
  // Without a service worker or storage, the app works online only.
  const ignore = () => undefined;
  const install = () => void registerServiceWorker().then(renewPush).catch(ignore);
  const timer = setTimeout(install, INSTALL_DELAY_MS);
  const stop = keepSignals(ignore);
  return () => {
    clearTimeout(timer);
    stop();
    if (useSession.getState().token !== token) forgetKeptSignals().catch(ignore);
  };
}

const SERVICE_WORKER = "/service-worker.js";

let registration: Promise<void> | undefined;

/** Installs the service worker, which shows pushes and the offline page. Once: a page can make its policy once only. */
function registerServiceWorker(): Promise<void> {
  registration ??= register();
  return registration;
}

/** The content policy allows the address of the service worker only. */
async function register(): Promise<void> {
  if (!import.meta.env.PROD || !("serviceWorker" in navigator)) return;
  const policy = window.trustedTypes?.createPolicy("service-worker", {
    createScriptURL: () => SERVICE_WORKER,
  });
  const script = policy?.createScriptURL("") ?? SERVICE_WORKER;
  await navigator.serviceWorker.register(script);
}

/** Browsers replace push subscriptions from time to time. */
async function renewPush(): Promise<void> {
  if (localStorage.getItem("push-channels") === null) return;
  const push = await import("../features/channels/kinds/web-push/push.ts");
  await push.renewPush();
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
        const text = describeNotification(event);
        if (text) showEvent(event, text, { pathname, navigate });
      }),
    [pathname, navigate],
  );
  return null;
}

interface Place {
  pathname: string;
  navigate: NavigateFunction;
}

function showEvent(event: LiveEvent, text: EventText, { pathname, navigate }: Place): void {
  if (event.name === "signal:completed" || event.name === "signal:failed") {
    const open = () => void navigate(`/bot?signal=${event.data.signal_id}`);
    const isHidden = document.visibilityState === "hidden";
    if (isHidden || !showsSignals(pathname, event.data.origin)) toast(text, open);
    return notifyIfHidden(event, { ...text, open });
  }
  if (!isToasted(event)) return;
  const open = () => void navigate(text.path);
  toast(text, isOn(pathname, text.path) ? null : open);
  if (event.stream === "admins") notifyIfHidden(event, { ...text, open });
}

/** Whether a page shows what an event is about. Those of administrators share their head, which counts what is new. */
const isOn = (pathname: string, path: string): boolean =>
  path.startsWith(adminLink.to)
    ? pathname.startsWith(adminLink.to)
    : path.split("#")[0] === pathname;

function toast({ title, text }: EventText, open: (() => void) | null): void {
  const action = open && { label: "View", run: open };
  showToast({ title, description: text, isEvent: true, ...(action && { action }) });
}

/** Shorter interruptions are not shown. */
const OFFLINE_DELAY_MS = 2_000;

const paused = (
  <span>
    Updates are paused: over {MAX_SOCKETS_PER_USER} tabs are open.
    <span className="max-sm:hidden"> They continue when you use this tab.</span>
  </span>
);

/** Reports an interrupted connection. */
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
    <Strip>
      {late && (
        <>
          <WifiOff aria-hidden className="size-4 shrink-0" />
          <p>{connection === "paused" ? paused : "Offline, reconnecting…"}</p>
        </>
      )}
    </Strip>
  );
}
