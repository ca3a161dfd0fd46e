import { type BrowserContext, expect, type Page } from "playwright/test";
import { adminSession, makeSignal, makeTrader } from "../support/api.ts";
import { holdRequests } from "../support/network.ts";
import { test } from "../support/test.ts";
import { openLive, signIn } from "../support/users.ts";

declare global {
  interface Window {
    /** Notifications that the page has shown. */
    shown: { title: string; body: string; click(): void }[];
    /** Sounds that the page has started. */
    sounds: number;
  }
}

/** The browser's own notifications and loudspeaker, which a test cannot observe, written down instead. */
async function watchNotices(context: BrowserContext, permission: NotificationPermission) {
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
const setHidden = (page: Page, hidden: boolean) =>
  page.evaluate(
    (state) => {
      Object.defineProperty(document, "visibilityState", { configurable: true, get: () => state });
      document.dispatchEvent(new Event("visibilitychange"));
    },
    hidden ? "hidden" : "visible",
  );

/** It is loaded at the first event. On a slow network, more happens before it is there. */
const holdNotifyCode = (page: Page) => holdRequests(page, { url: /\/assets\/notify-[^/]*\.js$/ });

const titlesOf = (page: Page) => page.evaluate(() => window.shown.map(({ title }) => title));

test("a signal that comes while the tab is hidden shows in the title and as a notification, and on the page once the tab is seen", async ({
  page,
  context,
}) => {
  await watchNotices(context, "granted");
  const trader = await makeTrader({ approved: true });
  await signIn(page, trader);
  await openLive(page, "/bot");
  await page.getByRole("heading", { level: 1 }).click();
  const notifyCode = await holdNotifyCode(page);
  await setHidden(page, true);
  const first = await makeSignal(trader, { symbol: "ETH/USDT" });
  const second = await makeSignal(trader, { symbol: "BTC/USDT" });
  await expect(page).toHaveTitle(/^\(2\) Signal bot/);
  notifyCode.release();
  const title = `${first.analysis?.final_signal} ETH/USDT`;
  const titles = [title, `${second.analysis?.final_signal} BTC/USDT`];
  await expect.poll(() => titlesOf(page)).toEqual(titles);
  await expect.poll(() => page.evaluate(() => window.sounds)).toBeGreaterThan(0);
  await setHidden(page, false);
  await expect(page).toHaveTitle(/^Signal bot/);
  await expect(page.getByText(title)).toBeVisible();
  await page.evaluate((wanted) => window.shown.find((one) => one.title === wanted)?.click(), title);
  await expect(page.locator("[data-signal]").getByRole("heading", { level: 2 })).toHaveText(
    /^ETH\/USDT/,
  );
});

test("of several hidden tabs one notifies, and none while another is in view", async ({
  page,
  context,
}) => {
  await watchNotices(context, "granted");
  const trader = await makeTrader({ approved: true });
  await signIn(page, trader);
  const other = await context.newPage();
  await openLive(page, "/dashboard");
  await openLive(other, "/dashboard");
  await setHidden(page, true);
  await makeSignal(trader, { symbol: "BTC/USDT" });
  await expect(page).toHaveTitle(/^\(1\)/);
  await expect(other.getByText(/BTC\/USDT$/)).toBeVisible();
  await setHidden(other, true);
  await makeSignal(trader, { symbol: "ETH/USDT" });
  await expect(page).toHaveTitle(/^\(2\)/);
  await expect(other).toHaveTitle(/^\(1\)/);
  const shown = async () => [...(await titlesOf(page)), ...(await titlesOf(other))];
  await expect.poll(shown).toHaveLength(1);
  expect((await shown())[0]).toMatch(/ETH\/USDT$/);
});

test("permission is asked for on the account page only, where sound and notifications are switched", async ({
  page,
  context,
}) => {
  await watchNotices(context, "default");
  const trader = await makeTrader({ approved: true });
  await signIn(page, trader);
  await openLive(page, "/user-panel");
  await setHidden(page, true);
  await makeSignal(trader, { symbol: "BTC/USDT" });
  await expect(page).toHaveTitle(/^\(1\)/);
  expect(await titlesOf(page)).toEqual([]);
  await setHidden(page, false);
  await page.getByRole("button", { name: "Allow notifications" }).click();
  await page.getByRole("switch", { name: "Sound" }).click();
  await setHidden(page, true);
  await makeSignal(trader, { symbol: "ETH/USDT" });
  await expect.poll(() => titlesOf(page)).toHaveLength(1);
  expect(await page.evaluate(() => window.sounds)).toBe(0);
  await setHidden(page, false);
  await page.getByRole("switch", { name: "Show notifications" }).click();
  await setHidden(page, true);
  await makeSignal(trader, { symbol: "XRP/USDT" });
  await expect(page).toHaveTitle(/^\(1\)/);
  expect(await titlesOf(page)).toHaveLength(1);
});

test("a signal that was seen while the notification code was loading brings no notification", async ({
  page,
  context,
}) => {
  await watchNotices(context, "granted");
  const trader = await makeTrader({ approved: true });
  await signIn(page, trader);
  await openLive(page, "/dashboard");
  const notifyCode = await holdNotifyCode(page);
  await setHidden(page, true);
  await makeSignal(trader, { symbol: "BTC/USDT" });
  await expect(page).toHaveTitle(/^\(1\)/);
  await setHidden(page, false);
  await expect(page.getByText(/BTC\/USDT$/)).toBeVisible();
  await setHidden(page, true);
  await makeSignal(trader, { symbol: "ETH/USDT" });
  await expect(page).toHaveTitle(/^\(1\)/);
  notifyCode.release();
  await expect.poll(() => titlesOf(page)).toEqual([expect.stringMatching(/ETH\/USDT$/)]);
});

test("an administrator whose tab is hidden is notified of registrations", async ({
  page,
  context,
}) => {
  await watchNotices(context, "granted");
  await signIn(page, await adminSession());
  await openLive(page, "/bot");
  await setHidden(page, true);
  const { username } = await makeTrader();
  await expect(page).toHaveTitle(/^\(\d+\)/);
  await expect
    .poll(() => page.evaluate(() => window.shown.map(({ title, body }) => `${title}: ${body}`)))
    .toContain(`New registration: ${username}`);
  await page.evaluate((body) => window.shown.find((one) => one.body === body)?.click(), username);
  await expect(page).toHaveURL(/\/admin\/users$/);
});
