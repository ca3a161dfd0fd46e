import { playChime } from "./chime.ts";
import { claimNotice, type EventPosition } from "./delivered.ts";
import { useNoticeSettings } from "./notification-settings.ts";

export interface BrowserNotification {
  place: EventPosition;
  /** Whether a tab was in view when the event arrived, so that the page itself has shown it. */
  wasInView: Promise<boolean>;
  title: string;
  text: string;
  /** What a click on it does, once its tab is in view. */
  open(): void;
}

/** Tells of something outside the page, where the user has allowed that; of all tabs, one does, and none if one is in view. */
export async function notify(notice: BrowserNotification): Promise<void> {
  const { permission, off, muted } = useNoticeSettings.getState();
  if (permission !== "granted" || off) return;
  if (!(await claimNotice(notice.place))) return;
  if (await notice.wasInView) return;
  const shown = show(notice);
  if (shown && !muted) await playChime();
}

/** Phones let only service workers show notifications; there the toast and the title have to do. */
function show({ place, title, text, open }: BrowserNotification): boolean {
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
