import { playChime } from "./chime.ts";
import { acquireNotification, type EventPosition } from "./delivered.ts";
import { useNotificationSettings } from "./notification-settings.ts";

interface BrowserNotification {
  position: EventPosition;
  /** True if a tab was in view when the event arrived, so that the page has shown it. */
  wasInView: Promise<boolean>;
  title: string;
  text: string;
  /** Runs on a click, once the tab is in view. */
  open(): void;
}

/** Shows a browser notification in one of all tabs, if the user allows it and no tab is in view. */
export async function notify(notification: BrowserNotification): Promise<void> {
  const { permission, off, muted } = useNotificationSettings.getState();
  if (permission !== "granted" || off) return;
  if (!(await acquireNotification(notification.position))) return;
  if (await notification.wasInView) return;
  if (show(notification) && !muted) await playChime();
}

function show({ position, title, text, open }: BrowserNotification): boolean {
  const tag = `${position.stream} ${position.seq}`;
  try {
    const shown = new Notification(title, { body: text, tag, icon: "/icon-192.png", silent: true });
    shown.addEventListener("click", () => {
      window.focus();
      shown.close();
      open();
    });
    return true;
  } catch {
    // Mobile browsers only let service workers show notifications.
    useNotificationSettings.setState({ permission: "unsupported" });
    return false;
  }
}
