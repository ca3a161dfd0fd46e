import { create } from "zustand";

/** Whether this browser lets the product notify; `unsupported`: it cannot, or not on this address. */
export type NoticePermission = NotificationPermission | "unsupported";

interface NoticeSettings {
  permission: NoticePermission;
  /** Switched off by the user in the product itself. */
  off: boolean;
  muted: boolean;
}

/** Keys of local storage; each holds `true` or nothing. */
const KEYS = { off: "noticesOff", muted: "noticesMuted" } as const;

function read(key: string): boolean {
  try {
    return window.localStorage.getItem(key) === "true";
  } catch {
    return false;
  }
}

function write(key: string, value: boolean): void {
  try {
    if (value) window.localStorage.setItem(key, "true");
    else window.localStorage.removeItem(key);
  } catch {
    // A browser that refuses local storage forgets the setting with the page.
  }
}

function permissionNow(): NoticePermission {
  return "Notification" in window && window.isSecureContext
    ? Notification.permission
    : "unsupported";
}

/** How this browser tells of what happens while nobody looks; shared by all tabs. */
export const useNoticeSettings = create<NoticeSettings>()(() => ({
  permission: permissionNow(),
  off: read(KEYS.off),
  muted: read(KEYS.muted),
}));

/** Asks the user; only ever at a press of his own. */
export async function requestPermission(): Promise<void> {
  if (permissionNow() === "unsupported") return;
  const permission = await Notification.requestPermission();
  useNoticeSettings.setState({ permission });
  if (permission === "granted") setNotices({ off: false });
}

export function setNotices(change: Partial<Pick<NoticeSettings, "off" | "muted">>): void {
  useNoticeSettings.setState(change);
  if (change.off !== undefined) write(KEYS.off, change.off);
  if (change.muted !== undefined) write(KEYS.muted, change.muted);
}

/** Takes over what another tab, or the browser's own settings, have changed. */
export function readNoticeSettings(): void {
  useNoticeSettings.setState({
    permission: permissionNow(),
    off: read(KEYS.off),
    muted: read(KEYS.muted),
  });
}

window.addEventListener("storage", readNoticeSettings);
window.addEventListener("focus", readNoticeSettings);
