import type { SignalOrigin } from "@shared/contract/signal.ts";
import { meQuery } from "../domain/me.ts";
import { queryClient } from "../lib/query-client.ts";
import type { LiveEvent } from "../lib/realtime/events.ts";
import { setUnseenCount } from "../ui/page-heading.tsx";

/** Whether a screen shows a finished signal by itself. The bot page does if it was requested. */
export const showsSignals = (pathname: string, origin: SignalOrigin | undefined): boolean =>
  pathname === "/signal-history" || (pathname === "/bot" && origin !== "watchlist");

interface UnseenItem {
  title: string;
  text: string;
  open(): void;
}

let unseen = 0;
let views = 0;

const isHidden = () => document.visibilityState === "hidden";

/** While the tab is hidden, counts the event in its title and shows a browser notification if that is allowed. */
export function notifyIfHidden({ stream, seq }: LiveEvent, item: UnseenItem): void {
  if (!isHidden()) return;
  unseen += 1;
  setUnseenCount(unseen);
  const username = queryClient.getQueryData(meQuery.queryKey)?.username ?? "";
  const viewsBefore = views;
  const wasInView = isAnyTabInView();
  void loadNotify().then(({ notify }) => {
    // The tab came into view while the code was loading, so the page has shown the event.
    if (views !== viewsBefore) return;
    return notify({ position: { username, stream, seq }, wasInView, ...item });
  });
}

const importNotify = () => import("../lib/notifications/notify.ts");
let notifyModule: ReturnType<typeof importNotify> | undefined;

/** Two imports may resolve in reverse order, which would drop the earlier event: one import serves all. */
function loadNotify(): ReturnType<typeof importNotify> {
  notifyModule ??= importNotify().catch((error: unknown) => {
    notifyModule = undefined;
    throw error;
  });
  return notifyModule;
}

/** Resets the count when the tab comes into view. Returns a function that stops it. */
export function resetOnVisible(): () => void {
  const reset = () => {
    unseen = 0;
    setUnseenCount(0);
  };
  const onChange = () => {
    if (isHidden()) return;
    views += 1;
    reset();
  };
  document.addEventListener("visibilitychange", onChange);
  return () => {
    document.removeEventListener("visibilitychange", onChange);
    reset();
  };
}

const LOCK = "tab-in-view";

/** Holds a lock while this tab is in view, which other tabs can query. Returns a function that stops it. */
export function followView(): () => void {
  let release: (() => void) | undefined;
  const releaseLock = () => {
    release?.();
    release = undefined;
  };
  const onChange = () => {
    if (isHidden()) return releaseLock();
    if (release) return;
    const untilHidden = new Promise<void>((resolve) => {
      release = resolve;
    });
    void navigator.locks?.request(LOCK, { mode: "shared" }, () => untilHidden);
  };
  onChange();
  document.addEventListener("visibilitychange", onChange);
  return () => {
    document.removeEventListener("visibilitychange", onChange);
    releaseLock();
  };
}

async function isAnyTabInView(): Promise<boolean> {
  const { held = [] } = (await navigator.locks?.query()) ?? {};
  return held.some(({ name }) => name === LOCK);
}
