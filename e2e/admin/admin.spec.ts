import type { PlanId } from "@shared/contract/plans.ts";
import { expect } from "playwright/test";
import { actAsAdmin, makeTrader, savePaymentDetails, submitProof } from "../support/api.ts";
import { clickNotification, setHidden, shownBy, watchNotices } from "../support/notices.ts";
import { DESKTOP, PHONE } from "../support/screen-checks.ts";
import { test } from "../support/test.ts";
import {
  cardOf,
  confirmAction,
  imageBytes,
  openAdmin,
  openAsAdmin,
  openMenuOf,
  storeTraders,
  userRows,
} from "../support/users.ts";

test("an administrator is notified of a registration, accepts its proof and the next one with one key each, and deletes the account", async ({
  page,
  context,
}) => {
  await watchNotices(context, "granted");
  await openAsAdmin(page, "/dashboard");
  await expect(page.getByRole("heading", { name: "Administration" })).toBeVisible();
  await setHidden(page, true);
  const trader = await makeTrader();
  const { username } = trader;
  await expect(page).toHaveTitle(/^\(\d+\)/);
  await expect.poll(() => shownBy(page)).toContain(`New registration: ${username}`);
  await setHidden(page, false);
  await expect(page.getByText("New registration", { exact: true }).first()).toBeVisible();
  const pay = async (plan: PlanId) =>
    submitProof(trader, { senderName: "Jane Miller", image: await imageBytes(), plan });
  await pay("pro");
  await expect(page.getByText("New payment proof", { exact: true }).first()).toBeVisible();
  await expect(page.getByText(/^[1-9]\d* waiting for you$/)).toBeAttached();
  await clickNotification(page, username);
  await expect(page).toHaveURL(/\/admin\/users$/);

  await page.getByLabel("Search users").fill(username);
  await expect(userRows(page)).toHaveCount(1);
  const card = cardOf(page, username);
  await expect(card).toContainText("Jane Miller");
  await expect(await openMenuOf(page, username)).toContainText("Fee $150");
  await page.keyboard.press("Escape");
  const acceptProof = async () => {
    await page.getByRole("button", { name: `Enlarge: Payment proof of ${username}` }).click();
    const dialog = page.getByRole("dialog");
    await expect(dialog).toContainText("Previous payments");
    await expect(dialog.getByRole("img").first()).toHaveJSProperty("naturalWidth", 320);
    await page.keyboard.press("a");
  };
  await acceptProof();
  await expect(page.getByText(`${username} is approved.`)).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(card).toContainText("Pro, ends");
  await pay("trader");
  await expect(card).toContainText("Waiting");
  await acceptProof();
  await expect(page.getByText(`The subscription of ${username} runs until`)).toBeVisible();
  await page.keyboard.press("Escape");
  const menu = await openMenuOf(page, username);
  await confirmAction(page, menu.getByRole("button", { name: "Delete user" }));
  await expect(card).toHaveCount(0);
});

test("the pages of the administration are linked, a user's drawer survives a reload, and a payment is found and exported", async ({
  page,
}) => {
  const trader = await makeTrader({ imageCredits: 7 });
  const { username } = trader;
  const senderName = `Sender ${username}`;
  await submitProof(trader, { senderName, image: await imageBytes(), plan: "pro" });
  await actAsAdmin(`/admin/approve/${username}`);
  // The overview has the newest users only.
  const users = page.waitForRequest(/\/admin\/list-users\?limit=10(&|$)/);
  await openAdmin(page);
  await users;
  await expect(page.getByRole("region", { name: "Waiting for you" })).toContainText("Failures");
  const setup = page.getByRole("region", { name: "Setup" });
  for (const text of ["OPENAI_API_KEY is not set", "image credits are not in use", "SMTP_URL is"]) {
    await expect(setup).toContainText(text);
  }
  const pages = page.getByRole("navigation", { name: "Administration" });
  await pages.getByRole("link", { name: "Payments" }).click();
  await page.getByLabel("Search payments").fill(senderName);
  await page.keyboard.press("Enter");
  const row = page.getByRole("table", { name: "Payments" }).locator("tbody tr");
  await expect(row).toHaveCount(1);
  await expect(row).toContainText("Pro, 1 month");
  const saved = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export CSV" }).click();
  expect((await saved).suggestedFilename()).toMatch(/^subscriptions-.*\.csv$/);

  await pages.getByRole("link", { name: "Users" }).click();
  await page.getByLabel("Search users").fill(username);
  await expect(userRows(page)).toHaveCount(1);
  await cardOf(page, username).getByRole("button", { name: username, exact: true }).click();
  const drawer = page.getByRole("dialog", { name: username });
  await expect(drawer.getByRole("region", { name: "Credits" })).toContainText("+7");
  await page.reload();
  await expect(drawer.getByRole("region", { name: "Security log" })).toContainText("granted");
  await page.goBack();
  await expect(drawer).toBeHidden();
  await expect(userRows(page)).toHaveCount(1);
});

test("a price and payment details that an administrator changes are what visitors see, also those who are there already", async ({
  page,
  openElsewhere,
}) => {
  await savePaymentDetails({});
  const visitor = await openElsewhere();
  await visitor.goto("/pricing");
  const former = visitor.getByText("$200", { exact: true });
  await expect(former).toBeVisible();
  await visitor.getByRole("link", { name: "Contact", exact: true }).click();
  await expect(former).toBeHidden();
  await openAdmin(page);
  const reference = `Reference: ${Date.now()}`;
  await page.getByLabel("Skrill").fill(`Skrill: <b>ann@example.com</b>\n${reference}`);
  await page.getByRole("button", { name: "Save payment details" }).click();
  await expect(page.getByText("The payment details are saved.")).toBeVisible();
  await page
    .getByRole("navigation", { name: "Administration" })
    .getByRole("link", { name: "Payments" })
    .click();
  await page.getByRole("link", { name: "Plans and prices" }).click();
  const plan = page.getByRole("form", { name: "Institutional plan" });
  const price = plan.getByLabel("USD a month");
  await expect(price).toBeInViewport();
  const save = async (usd: string) => {
    const saved = page.waitForResponse("**/admin/plans/institutional");
    await price.fill(usd);
    // The payments above the form grow as other tests make some: a button can move below the mouse.
    await price.press("Enter");
    expect((await saved).status()).toBe(200);
  };
  await save("1250");
  await visitor.getByRole("link", { name: "Pricing", exact: true }).click();
  await expect(visitor.getByText("$1,250", { exact: true })).toBeVisible();
  await visitor.getByRole("link", { name: "Choose Institutional" }).click();
  await expect(visitor.getByText("the Institutional plan's $1,250")).toBeVisible();
  await save("200");
  // The methods of payment keep their line breaks.
  await expect(visitor.getByRole("heading", { level: 3 })).toHaveText(["Skrill"]);
  const first = await visitor.getByText("Skrill: <b>ann@example.com</b>").boundingBox();
  const second = await visitor.getByText(reference).boundingBox();
  expect(second?.y).toBeGreaterThan(first?.y ?? Number.NaN);
});

/** More than are loaded at once. */
const USERS = 105;

test("users are one line each, and by the keyboard alone all are selected, some approved and undone, and one opened and left", async ({
  page,
}) => {
  const prefix = `row${Date.now().toString(36)}`;
  await storeTraders(prefix, USERS);
  await openAsAdmin(page, `/admin/users?search=${prefix}&sort=username`);
  await expect(userRows(page)).toHaveCount(100);
  // On phones too.
  for (const size of [PHONE, DESKTOP]) {
    await page.setViewportSize(size);
    await expect(page.getByText(`${prefix}-000@example.com`)).toBeVisible({
      visible: size === DESKTOP,
    });
    const heights = await userRows(page).evaluateAll((rows) =>
      rows.map((row) => row.getBoundingClientRect().height),
    );
    expect(Math.min(...heights)).toBeGreaterThanOrEqual(40);
    expect(Math.max(...heights)).toBeLessThanOrEqual(56);
  }
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key);
  };
  const bar = page.getByRole("region", { name: "Selected users" });
  await press("/", "ArrowDown", "Control+a", "Tab");
  await expect(bar.getByRole("button", { name: `Select all ${USERS}` })).toBeFocused();
  await press("Enter");
  await expect(bar).toContainText(`${USERS} selected`);
  await expect(bar.getByRole("button", { name: `Approve ${USERS}` })).toBeFocused();
  await expect(userRows(page)).toHaveCount(USERS);
  await press("Shift+Tab");
  await expect(cardOf(page, `${prefix}-000`)).toBeFocused();
  await press("Escape");
  await expect(bar).toBeHidden();
  await press("End");
  const last = cardOf(page, `${prefix}-${USERS - 1}`);
  await expect(last).toBeFocused();
  await expect(last).toBeInViewport();
  await press("x", "Shift+ArrowUp", "Shift+ArrowUp", "Tab");
  await expect(bar.getByRole("button", { name: "Approve 3" })).toBeFocused();
  await press("Enter");
  await expect(page.getByText("3 users approved.")).toBeVisible();
  await expect(last).toContainText("Approved");
  await press("z");
  await expect(page.getByText("Undone for 3 users.")).toBeVisible();
  await expect(last).toContainText("Pending");
  await last.focus();
  await press("m");
  const menu = page.getByRole("dialog", { name: `Actions for ${prefix}-${USERS - 1}` });
  await expect(menu).toBeVisible();
  await press("Escape");
  await expect(menu).toBeHidden();
  await expect(last).toBeFocused();
  await press("Enter");
  await expect(page.getByRole("dialog", { name: `${prefix}-${USERS - 1}` })).toBeVisible();
  await press("Escape");
  await expect(last).toBeFocused();
});
