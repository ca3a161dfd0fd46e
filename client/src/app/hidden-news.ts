import type { LiveEvent } from "../lib/live/live-event.ts";
import { useLive } from "../lib/live/live-store.ts";
import { isAnyTabInView } from "../lib/notices/tab-in-view.ts";
import { setUnseenCount } from "../lib/page-title.ts";

/** Something that the user should hear of wherever he is. */
export interface News {
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
export function tellHidden({ stream, seq }: LiveEvent, news: News): void {
  if (!isHidden()) return;
  unseen += 1;
  setUnseenCount(unseen);
  const username = useLive.getState().account?.username ?? "";
  const viewsBefore = views;
  const wasInView = isAnyTabInView();
  void loadNotify().then(({ notify }) => {
    // The tab was in view while the code was loading, so the page itself has shown the news.
    if (views !== viewsBefore) return;
    return notify({ place: { username, stream, seq }, wasInView, ...news });
  });
}

let loading: ReturnType<typeof importNotify> | undefined;

const importNotify = () => import("../lib/notices/notify.ts");

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
export function forgetSeen(): () => void {
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
