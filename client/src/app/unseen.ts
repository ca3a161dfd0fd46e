import type { LiveEvent } from "../lib/realtime/events.ts";
import { useRealtime } from "../lib/realtime/store.ts";
import { setUnseenCount } from "../ui/page-heading.tsx";

/** Something that the user should hear of wherever he is. */
interface UnseenItem {
  title: string;
  text: string;
  /** Leads to what it is about. */
  open(): void;
}

let unseen = 0;
/** How often the tab has come into view. */
let views = 0;

const isHidden = () => document.visibilityState === "hidden";

/** Counts what happens while the tab is hidden in its title, and tells of it outside the page if that is allowed. */
export function notifyIfHidden({ stream, seq }: LiveEvent, news: UnseenItem): void {
  if (!isHidden()) return;
  unseen += 1;
  setUnseenCount(unseen);
  const username = useRealtime.getState().account?.username ?? "";
  const viewsBefore = views;
  const wasInView = isAnyTabInView();
  void loadNotify().then(({ notify }) => {
    // The tab was in view while the code was loading, so the page itself has shown the news.
    if (views !== viewsBefore) return;
    return notify({ place: { username, stream, seq }, wasInView, ...news });
  });
}

let loading: ReturnType<typeof importNotify> | undefined;

const importNotify = () => import("../lib/notifications/notify.ts");

/**
 * One import for all events. Two imports of the same module may resolve in reverse order, and an event that comes after
 * a later one counts as notified already.
 */
function loadNotify(): ReturnType<typeof importNotify> {
  loading ??= importNotify().catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

/** Forgets the count as soon as the tab is seen; returns what ends it. */
export function resetOnVisible(): () => void {
  const look = () => {
    if (isHidden()) return;
    views += 1;
    unseen = 0;
    setUnseenCount(0);
  };
  document.addEventListener("visibilitychange", look);
  return () => {
    document.removeEventListener("visibilitychange", look);
    unseen = 0;
    setUnseenCount(0);
  };
}

const LOCK = "tab-in-view";

/**
 * Lets the other tabs know whether this one is in view, by a lock that it holds as long as it is. Without locks, which
 * browsers have on secure addresses only, there are no notifications either. Returns what ends it.
 */
export function followView(): () => void {
  let release: (() => void) | undefined;
  const follow = () => {
    const isInView = document.visibilityState === "visible";
    if (isInView && !release) {
      const untilHidden = new Promise<void>((resolve) => {
        release = resolve;
      });
      void navigator.locks?.request(LOCK, { mode: "shared" }, () => untilHidden);
    }
    if (!isInView) letGo();
  };
  const letGo = () => {
    release?.();
    release = undefined;
  };
  follow();
  document.addEventListener("visibilitychange", follow);
  return () => {
    document.removeEventListener("visibilitychange", follow);
    letGo();
  };
}

/** Whether the product is in view in any tab of this browser. */
async function isAnyTabInView(): Promise<boolean> {
  const { held = [] } = (await navigator.locks?.query()) ?? {};
  return held.some(({ name }) => name === LOCK);
}
