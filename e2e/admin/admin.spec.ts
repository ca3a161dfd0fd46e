import type { PlanId } from "@shared/contract/plans.ts";
import { expect } from "playwright/test";
import {
  actAsAdmin,
  makeSignal,
  makeTrader,
  savePaymentDetails,
  submitProof,
} from "../support/api.ts";
import { holdAnswer } from "../support/network.ts";
import { DESKTOP, PHONE } from "../support/screen-checks.ts";
import { test } from "../support/test.ts";
import {
  cardOf,
  confirmAction,
  imageBytes,
  mailsTo,
  makeImage,
  openAdmin,
  openAsAdmin,
  openLive,
  openMenuOf,
  signIn,
  storeTraders,
  userRows,
} from "../support/users.ts";

test("a registration and a proof are announced, the proof is counted and shown, and is gone with the account", async ({
  page,
}) => {
  await openAsAdmin(page, "/dashboard");
  await expect(page.getByRole("heading", { name: "Administration" })).toBeVisible();
  const trader = await makeTrader();
  const { username } = trader;
  await expect(page.getByText(username).first()).toBeVisible();
  await expect(page.getByText("New registration", { exact: true }).first()).toBeVisible();
  await submitProof(trader, { senderName: "Jane Miller", image: await imageBytes() });
  await expect(page.getByText("New payment proof", { exact: true }).first()).toBeVisible();
  await expect(page.getByText(/^[1-9]\d* waiting for you$/)).toBeAttached();
  await page.getByRole("link", { name: "Admin", exact: true }).click();
  const card = cardOf(page, username);
  await expect(card).toContainText("Jane Miller");
  await card.getByRole("button", { name: /^Enlarge/ }).click();
  await expect(page.getByRole("dialog").getByRole("img")).toHaveJSProperty("naturalWidth", 320);
  await page.keyboard.press("Escape");
  // Its only card is far above the toasts about what other tests do.
  await page.goto(`/admin/users?search=${username}`);
  const menu = await openMenuOf(page, username);
  await confirmAction(page, menu.getByRole("button", { name: "Delete user" }));
  await expect(card).toHaveCount(0);
});

test("a registration that is announced while the users are still being loaded is in the list", async ({
  page,
}) => {
  const old = await holdAnswer(page, /\/admin\/list-users\?limit=/);
  await openAdmin(page);
  await old.isMade;
  const { username } = await makeTrader();
  await expect(page.getByText("New registration").first()).toBeVisible();
  old.release();
  await expect(cardOf(page, username)).toBeVisible();
});

test("what an administrator does to an account shows to its user at once", async ({ page }) => {
  const trader = await makeTrader({ approved: true });
  const { username } = trader;
  await makeSignal(trader, { symbol: "BTC/USDT" });
  await signIn(page, trader);
  await openLive(page, "/signal-history");
  await expect(page.locator("[data-signal]")).toHaveCount(1);
  await actAsAdmin(`/admin/delete-signal-history/${username}`);
  await expect(page.getByText("No signals generated yet.")).toBeVisible();
  await actAsAdmin(`/admin/revoke/${username}`);
  await expect(page).toHaveURL(/\/dashboard$/);
  await expect(page.getByText("Approval Pending")).toBeVisible();
  await actAsAdmin(`/admin/approve/${username}`);
  await expect(page.getByText("Account Approved", { exact: true })).toBeVisible();
  await actAsAdmin(`/admin/grant-image-credits/${username}`, { credits: "25" });
  await expect(page.locator("dl").filter({ hasText: "Image credits" })).toContainText("25");
  await actAsAdmin(`/admin/delete-user/${username}`);
  await expect(page).toHaveURL(/\/login$/);
  await expect(page.getByText("This account has been deleted.")).toBeVisible();
});

test("saved payment details show in another tab and on the payment page, with their line breaks", async ({
  page,
  context,
}) => {
  await savePaymentDetails({});
  await openAdmin(page);
  const other = await context.newPage();
  await other.goto("/admin");
  await expect(other.getByLabel("Skrill")).toBeVisible();
  const reference = `Reference: ${Date.now()}`;
  const text = `Skrill: <b>ann@example.com</b>\n${reference}`;
  await page.getByLabel("Skrill").fill(text);
  await page.getByRole("button", { name: "Save payment details" }).click();
  await expect(page.getByText("The payment details are saved.")).toBeVisible();
  await expect(other.getByLabel("Skrill")).toHaveValue(text);
  await other.goto("/payment");
  await expect(other.getByRole("heading", { level: 3 })).toHaveText(["Skrill"]);
  const first = await other.getByText("Skrill: <b>ann@example.com</b>").boundingBox();
  const second = await other.getByText(reference).boundingBox();
  expect(second?.y).toBeGreaterThan(first?.y ?? Number.NaN);
});

test("a proof starts a subscription, and the next one renews it, each with one key", async ({
  page,
}) => {
  const trader = await makeTrader();
  const { username } = trader;
  const pay = async (plan: PlanId) =>
    submitProof(trader, { senderName: "Jane Miller", image: await imageBytes(), plan });
  const acceptProof = async () => {
    await page.getByRole("button", { name: `Enlarge: Payment proof of ${username}` }).click();
    await expect(page.getByRole("dialog")).toContainText("Previous payments");
    await page.keyboard.press("a");
  };
  await pay("pro");
  await openAsAdmin(page, `/admin/users?search=${username}`);
  const card = cardOf(page, username);
  await expect(await openMenuOf(page, username)).toContainText("Fee $150");
  await page.keyboard.press("Escape");
  await acceptProof();
  await expect(page.getByText(`${username} is approved.`)).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(card).toContainText("Pro, ends");
  await pay("trader");
  await expect(card).toContainText("Waiting");
  await acceptProof();
  await expect(page.getByText(`The subscription of ${username} runs until`)).toBeVisible();
  await page.keyboard.press("Escape");
  await card.getByRole("button", { name: username, exact: true }).click();
  const section = page.getByRole("region", { name: "Subscription" });
  await expect(section.getByRole("listitem")).toHaveText([/^Trader, 1 month/, /^Pro, 1 month/]);
});

test("the pages of the administration are linked, and a user's drawer survives a reload", async ({
  page,
}) => {
  const { username } = await makeTrader({ imageCredits: 7 });
  await openAsAdmin(page, "/security-log?type=administration");
  await expect(page).toHaveURL(/\/admin\/audit\?type=administration$/);
  const pages = page.getByRole("navigation", { name: "Administration" });
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

test("an administrator sees what waits, today's figures, what is left to set up, and the worker that makes the signals", async ({
  page,
}) => {
  // The overview has the newest users only.
  const users = page.waitForRequest(/\/admin\/list-users\?limit=10(&|$)/);
  await openAdmin(page);
  await users;
  await expect(page.getByRole("region", { name: "Waiting for you" })).toContainText("Failures");
  const figures = page.getByRole("main").locator("dl").filter({ hasText: "Analyses today" });
  for (const name of ["Monthly revenue", "Pending approval", "AI cost today"]) {
    await expect(figures).toContainText(name);
  }
  const setup = page.getByRole("region", { name: "Setup" });
  await expect(setup).toContainText("OPENAI_API_KEY is not set");
  await expect(setup).toContainText("image credits are not in use");
  await expect(setup).toContainText("SMTP_URL is not set");
  await setup.getByRole("link", { name: "See the providers" }).click();
  const health = page.getByRole("region", { name: "System health" });
  await expect(health.getByText("All systems operational")).toBeVisible();
  await expect(health.getByText("Demo data")).toBeVisible();
  await expect(health.getByText("No live data providers in use.")).toBeVisible();
});

test("a rejected proof says why at once, and a new one is sent", async ({ page }) => {
  const trader = await makeTrader();
  const { username } = trader;
  const submitted = { senderName: "Jane Miller", image: await imageBytes() };
  await submitProof(trader, submitted);
  await signIn(page, trader);
  await openLive(page, "/dashboard");
  await expect(page.getByText("Proof under review")).toBeVisible();
  const rejection = { reason: "unreadable", note: "The <b>amount</b> is cut off" };
  await actAsAdmin(`/admin/reject-proof/${username}`, rejection);
  await expect(page.getByText("Your payment proof was rejected")).toBeVisible();
  await page.reload();
  await expect(page.getByText(rejection.note, { exact: true })).toBeVisible();
  await page.getByLabel("Sender name").fill(submitted.senderName);
  await page.getByLabel("Proof image").setInputFiles(await makeImage("proof.png"));
  await page.getByRole("button", { name: "Submit proof" }).click();
  await expect(page.getByText("Proof under review")).toBeVisible();
  await expect(page.getByText("Your payment proof was rejected")).toHaveCount(0);
  const mailed = expect.stringContaining(rejection.note);
  await expect.poll(() => mailsTo(`${username}@example.com`)).toContainEqual(mailed);
});

test("a user is one line on a phone too, and keys alone open and approve, and return to the line", async ({
  page,
}) => {
  const prefix = `many${Date.now().toString(36)}`;
  for (const end of ["a", "b", "c"]) await makeTrader({ username: `${prefix}${end}` });
  await openAsAdmin(page, `/admin/users?search=${prefix}&sort=username`);
  await expect(userRows(page)).toHaveCount(3);
  // On phones, a user is one line.
  for (const size of [PHONE, DESKTOP]) {
    await page.setViewportSize(size);
    await expect(page.getByText(`${prefix}a@example.com`)).toBeVisible({
      visible: size === DESKTOP,
    });
    for (const row of await userRows(page).all()) {
      const { height } = (await row.boundingBox()) ?? { height: 0 };
      expect(height).toBeGreaterThanOrEqual(40);
      expect(height).toBeLessThanOrEqual(56);
    }
  }
  await cardOf(page, `${prefix}c`).focus();
  await page.keyboard.press("m");
  const menu = page.getByRole("dialog", { name: `Actions for ${prefix}c` });
  await expect(menu).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(menu).toBeHidden();
  await expect(cardOf(page, `${prefix}c`)).toBeFocused();
  await page.keyboard.press("a");
  await expect(cardOf(page, `${prefix}c`)).toContainText("Approved");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog", { name: `${prefix}c` })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(cardOf(page, `${prefix}c`)).toBeFocused();
});

test("an accepted payment is listed with its proof, and found by its sender", async ({ page }) => {
  const trader = await makeTrader();
  const senderName = `Sender ${trader.username}`;
  await submitProof(trader, { senderName, image: await imageBytes(), plan: "pro" });
  await actAsAdmin(`/admin/approve/${trader.username}`);
  await openAsAdmin(page, "/admin/payments");
  await page.getByLabel("Search payments").fill(senderName);
  await page.keyboard.press("Enter");
  const row = page.getByRole("table", { name: "Payments" }).locator("tbody tr");
  await expect(row).toHaveCount(1);
  await expect(row).toContainText("Pro, 1 month");
  await expect(row).toContainText("$150");
  await expect(page.getByRole("region", { name: "Monthly totals" })).toContainText("1 payment");
  await page.reload();
  await expect(row).toHaveCount(1);
  const saved = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export CSV" }).click();
  expect((await saved).suggestedFilename()).toMatch(/^subscriptions-.*\.csv$/);
});

test("a price that an administrator changes is what visitors see, also those who are there already", async ({
  page,
  openElsewhere,
}) => {
  const visitor = await openElsewhere();
  await visitor.goto("/pricing");
  const former = visitor.getByText("$200", { exact: true });
  await expect(former).toBeVisible();
  await visitor.getByRole("link", { name: "Contact", exact: true }).click();
  await expect(former).toBeHidden();
  await openAsAdmin(page, "/admin/payments");
  await page.getByRole("link", { name: "Plans and prices" }).click();
  const plan = page.getByRole("form", { name: "Institutional plan" });
  const price = plan.getByLabel("USD a month");
  await expect(price).toBeInViewport();
  const save = async (usd: string) => {
    const saved = page.waitForResponse("**/admin/plans/institutional");
    await price.fill(usd);
    await plan.getByRole("button", { name: "Save plan" }).click();
    expect((await saved).status()).toBe(200);
  };
  await save("1250");
  await visitor.getByRole("link", { name: "Pricing", exact: true }).click();
  await expect(visitor.getByText("$1,250", { exact: true })).toBeVisible();
  await visitor.getByRole("link", { name: "Choose Institutional" }).click();
  await expect(visitor.getByText("the Institutional plan's $1,250")).toBeVisible();
  await page.reload();
  await expect(price).toHaveValue("1250");
  await save("200");
});

const ELEVEN_CALLS = { timeout: 30_000 };

test("three hundred users are selected, and some approved and undone, by the keyboard alone", async ({
  page,
}) => {
  const prefix = `row${Date.now().toString(36)}`;
  await storeTraders(prefix, 300);
  await openAsAdmin(page, `/admin/users?search=${prefix}&sort=username`);
  await expect(userRows(page)).toHaveCount(100);
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key);
  };
  const bar = page.getByRole("region", { name: "Selected users" });
  await press("/", "ArrowDown", "Control+a", "Tab");
  await expect(bar.getByRole("button", { name: "Select all 300" })).toBeFocused();
  await press("Enter");
  await expect(bar).toContainText("300 selected");
  await expect(bar.getByRole("button", { name: "Approve 300" })).toBeFocused();
  await expect(userRows(page)).toHaveCount(300);
  await press("Shift+Tab");
  await expect(cardOf(page, `${prefix}-000`)).toBeFocused();
  await press("Escape");
  await expect(bar).toBeHidden();
  await press("End");
  const last = cardOf(page, `${prefix}-299`);
  await expect(last).toBeFocused();
  await expect(last).toBeInViewport();
  await press("x", "Shift+PageUp", "Tab");
  await expect(bar.getByRole("button", { name: "Approve 11" })).toBeFocused();
  await press("Enter");
  await expect(page.getByText("11 users approved.")).toBeVisible(ELEVEN_CALLS);
  await expect(last).toContainText("Approved");
  await press("z");
  await expect(page.getByText("Undone for 11 users.")).toBeVisible(ELEVEN_CALLS);
  await expect(last).toContainText("Pending");
});
