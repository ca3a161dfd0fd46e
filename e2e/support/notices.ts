import type { BrowserContext, Page } from "playwright/test";

declare global {
  interface Window {
    /** Notifications that the page has shown. */
    shown: { title: string; body: string; click(): void }[];
    /** Sounds that the page has started. */
    sounds: number;
  }
}

/** The browser's own notifications and loudspeaker, which a test cannot observe, written down instead. */
export async function watchNotices(context: BrowserContext, permission: NotificationPermission) {
  await context.addInitScript((granted) => {
    window.shown = [];
    window.sounds = 0;
    class Recorded extends EventTarget {
      static permission = granted;
      static async requestPermission() {
        Recorded.permission = "granted";
        return Recorded.permission;
      }
      constructor(title: string, { body = "" }: NotificationOptions = {}) {
        super();
        const click = () => void this.dispatchEvent(new Event("click"));
        window.shown.push({ title, body, click });
      }
      close() {
        // Nothing is on the screen.
      }
    }
    Object.assign(window, { Notification: Recorded });
    const { start } = OscillatorNode.prototype;
    OscillatorNode.prototype.start = function begin(when) {
      window.sounds += 1;
      start.call(this, when);
    };
  }, permission);
}

/** Headless tabs are always in view. */
export const setHidden = (page: Page, hidden: boolean): Promise<void> =>
  page.evaluate(
    (state) => {
      Object.defineProperty(document, "visibilityState", { configurable: true, get: () => state });
      document.dispatchEvent(new Event("visibilitychange"));
    },
    hidden ? "hidden" : "visible",
  );

export const titlesOf = (page: Page): Promise<string[]> =>
  page.evaluate(() => window.shown.map(({ title }) => title));

/** Title and body of each notification that the page has shown. */
export const shownBy = (page: Page): Promise<string[]> =>
  page.evaluate(() => window.shown.map(({ title, body }) => `${title}: ${body}`));

/** Clicks the notification with this title or body. */
export const clickNotification = (page: Page, text: string): Promise<void> =>
  page.evaluate(
    (wanted) =>
      window.shown.find(({ title, body }) => title === wanted || body === wanted)?.click(),
    text,
  );
