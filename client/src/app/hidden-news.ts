import type { LiveEvent } from "../lib/live/live-event.ts";
import { useLive } from "../lib/live/live-store.ts";
import { setUnseenCount } from "../lib/page-title.ts";

/** Something that the user should hear of wherever he is. */
export interface News {
  title: string;
  text: string;
  /** Leads to what it is about. */
  open(): void;
}

let unseen = 0;

const isHidden = () => document.visibilityState === "hidden";

/** Counts what happens while the tab is hidden in its title, and tells of it outside the page if that is allowed. */
export function tellHidden({ stream, seq }: LiveEvent, news: News): void {
  if (!isHidden()) return;
  unseen += 1;
  setUnseenCount(unseen);
  const username = useLive.getState().account?.username ?? "";
  void import("../lib/notices/notify.ts").then(({ notify }) =>
    notify({ place: { username, stream, seq }, ...news }),
  );
}

/** Forgets the count as soon as the tab is seen; returns what ends it. */
export function forgetSeen(): () => void {
  const look = () => {
    if (isHidden()) return;
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
