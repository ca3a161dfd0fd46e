import { playChime } from "./chime.ts";
import { acquireNotification, type EventPosition } from "./delivered.ts";
import { useNotificationSettings } from "./notification-settings.ts";

interface BrowserNotification {
  position: EventPosition;
  /** True if a tab was in view when the event arrived, so that the page has shown it. */
  wasInView: Promise<boolean>;
  title: string;
  text: string;
  open(): void;
}

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
