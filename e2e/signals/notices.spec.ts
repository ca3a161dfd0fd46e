import { expect, type Page } from "playwright/test";
import { makeSignal, makeTrader } from "../support/api.ts";
import { holdRequests } from "../support/network.ts";
import { clickNotification, setHidden, titlesOf, watchNotices } from "../support/notices.ts";
import { test } from "../support/test.ts";
import { openLive, signIn } from "../support/users.ts";

/** It is loaded at the first event. On a slow network, more happens before it is there. */
const holdNotifyCode = (page: Page) => holdRequests(page, { url: /\/assets\/notify-[^/]*\.js$/ });

test("a signal that comes while the tab is hidden shows in the title, as a notification of one tab if none was in view, and on the page once that is seen", async ({
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
  await makeSignal(trader, { symbol: "XRP/USDT" });
  await expect(page).toHaveTitle(/^\(1\)/);
  // Seen while the code is loading: it brings no notification.
  await setHidden(page, false);
  await expect(page.getByText(/XRP\/USDT$/)).toBeVisible();
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
  await clickNotification(page, title);
  await expect(page.locator("[data-signal]").getByRole("heading", { level: 2 })).toHaveText(
    /^ETH\/USDT/,
  );

  const other = await context.newPage();
  await openLive(other, "/dashboard");
  await setHidden(page, true);
  await makeSignal(trader, { symbol: "SOL/USDT" });
  await expect(page).toHaveTitle(/^\(1\)/);
  await expect(other.getByText(/SOL\/USDT$/)).toBeVisible();
  await setHidden(other, true);
  await makeSignal(trader, { symbol: "ADA/USDT" });
  await expect(page).toHaveTitle(/^\(2\)/);
  await expect(other).toHaveTitle(/^\(1\)/);
  const shown = async () => [...(await titlesOf(page)), ...(await titlesOf(other))];
  await expect.poll(shown).toHaveLength(titles.length + 1);
  expect((await shown()).filter((one) => /ADA\/USDT$/.test(one))).toHaveLength(1);
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
