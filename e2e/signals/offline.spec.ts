import { type BrowserContext, expect, type Page } from "playwright/test";
import { makeSignal, makeTrader } from "../support/api.ts";
import { clientUrl } from "../support/config.ts";
import { LAPTOP } from "../support/screen-checks.ts";
import { test } from "../support/test.ts";
import { signIn } from "../support/users.ts";

test.use({ serviceWorkers: "allow", expectsFailures: true });

const installed = (page: Page) =>
  page.evaluate(async () => {
    const { active } = await navigator.serviceWorker.ready;
    return active?.state;
  });

test("once the app is installed, a push shows a notification while no tab of it is open; it opens offline with the last signals, and returns to its page when it is online", async ({
  page,
  context,
}) => {
  const trader = await makeTrader({ approved: true });
  await makeSignal(trader, { symbol: "BTC/USDT" });
  await signIn(page, trader);
  const signal = page.getByRole("heading", { name: /^BTC\/USDT/ });
  await expect(async () => {
    await page.goto("/signal-history");
    await expect(signal).toBeVisible();
    await page.goto("/offline");
    await expect(signal).toBeVisible({ timeout: 2_000 });
  }).toPass();
  await expect.poll(() => installed(page)).toBe("activated");
  await expectPush(context, page);

  await context.setOffline(true);
  await page.goto("/bot");
  await expect(page.getByRole("heading", { level: 1, name: "You're offline" })).toBeVisible();
  await expect(signal).toBeVisible();
  await page.reload();
  await expect(signal).toBeVisible();
  await context.setOffline(false);
  await expect(page).toHaveURL(/\/bot$/);
  await expect(page.getByRole("button", { name: "Get Signal" })).toBeVisible();
});

/** Expects a push to show a notification, also while `page` shows nothing of the app. */
async function expectPush(context: BrowserContext, page: Page): Promise<void> {
  const [worker] = context.serviceWorkers();
  // Headless browsers have no notifications: what would be shown is recorded.
  await worker?.evaluate(() => {
    const shown: string[] = [];
    const showNotification = async (title: string, { body = "" }: NotificationOptions) => {
      shown.push(`${title}: ${body}`);
    };
    Object.assign(Reflect.get(globalThis, "registration"), { showNotification });
    Object.assign(globalThis, { shown });
  });
  const analysis = { final_signal: "BUY", confidence: 72, entry: 100, stop_loss: 98 };
  const data = { signal_id: "one", symbol: "BTC/USDT", timeframe: "1h", analysis };
  await page.goto("about:blank");
  await deliverPush(context, page, JSON.stringify({ type: "signal.completed", data }));
  const shown = () => worker?.evaluate(() => Reflect.get(globalThis, "shown"));
  await expect
    .poll(shown)
    .toEqual([
      "BUY BTC/USDT: Entry 100 · Stop loss 98 · 1h, 72% stated confidence, not yet calibrated",
    ]);
}

async function deliverPush(context: BrowserContext, page: Page, data: string): Promise<void> {
  const session = await context.newCDPSession(page);
  const registration = new Promise<string>((resolve) => {
    session.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
      const [own] = registrations.filter(({ scopeURL }) => scopeURL.startsWith(clientUrl));
      if (own) resolve(own.registrationId);
    });
  });
  await session.send("ServiceWorker.enable");
  const registrationId = await registration;
  await session.send("ServiceWorker.deliverPushMessage", {
    origin: clientUrl,
    registrationId,
    data,
  });
  await session.detach();
}

test.describe("without a connection and a service worker", () => {
  test.use({ serviceWorkers: "block" });

  test("the navigation stays, a screen that is not there says so, and it opens by itself once the app is online", async ({
    page,
    context,
  }) => {
    await signIn(page, await makeTrader({ approved: true }));
    await page.goto("/bot");
    await expect(page.getByRole("heading", { name: "No signal yet" })).toBeVisible();
    await context.setOffline(true);
    const navigation = page.getByRole("navigation", { name: "Main" });
    await navigation.getByRole("link", { name: "History" }).click();
    const failure = page.getByRole("alert").filter({ hasText: "could not be loaded" });
    await expect(failure).toBeVisible();
    await page.getByRole("button", { name: "Try again" }).click();
    await expect(failure).toBeVisible();
    // What the page of the bot needs to say that a request has failed was loaded with it.
    await navigation.getByRole("link", { name: "BOT" }).click();
    await page.setViewportSize(LAPTOP);
    await page.getByRole("button", { name: "Get Signal" }).click();
    // Beside the specified WAIT, why: both are in view without scrolling.
    for (const text of ["AI or data fetch failed", "Request failed"]) {
      await expect(page.getByText(text)).toBeInViewport({ ratio: 1 });
    }
    await expect(page.locator('[data-signal="wait"]')).toBeInViewport();
    expect(await page.evaluate(() => window.scrollY)).toBe(0);
    await navigation.getByRole("link", { name: "History" }).click();
    await expect(failure).toBeVisible();
    await context.setOffline(false);
    await expect(page.getByRole("heading", { level: 1, name: "Signal history" })).toBeVisible();
  });
});
