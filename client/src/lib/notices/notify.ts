import { playChime } from "./chime.ts";
import { useNoticeSettings } from "./notice-settings.ts";
import { isAnyTabInView } from "./tab-in-view.ts";
import { type NoticePlace, parseTold, toldAfter } from "./told-notices.ts";

const LOCK = "notices";
/** What was notified of, for all tabs. */
const KEY = "noticesTold";

export interface Notice {
  place: NoticePlace;
  title: string;
  text: string;
  /** What a click on it does, once its tab is in view. */
  open(): void;
}

/** Tells of something outside the page, where the user has allowed that; of all tabs, one does, and none if one is in view. */
export async function notify(notice: Notice): Promise<void> {
  const { permission, off, muted } = useNoticeSettings.getState();
  if (permission !== "granted" || off) return;
  if (!(await claim(notice.place))) return;
  const shown = show(notice);
  if (shown && !muted) await playChime();
}

/** Whether it falls to this tab to tell of an event. */
function claim(place: NoticePlace): Promise<boolean> {
  return navigator.locks.request(LOCK, async () => {
    const told = toldAfter(parseTold(localStorage.getItem(KEY)), place);
    if (!told) return false;
    localStorage.setItem(KEY, JSON.stringify(told));
    return !(await isAnyTabInView());
  });
}

/** Phones let only service workers show notifications; there the toast and the title have to do. */
function show({ place, title, text, open }: Notice): boolean {
  const tag = `${place.stream} ${place.seq}`;
  try {
    const shown = new Notification(title, { body: text, tag, icon: "/icon-192.png", silent: true });
    shown.addEventListener("click", () => {
      window.focus();
      shown.close();
      open();
    });
    return true;
  } catch {
    useNoticeSettings.setState({ permission: "unsupported" });
    return false;
  }
}
