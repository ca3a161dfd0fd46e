import { randomUUID } from "node:crypto";
import { record } from "@shared/testing/performance-record.ts";
import { expect, type Page } from "playwright/test";
import { ADMIN, newAdminSession, PASSWORD } from "../support/api.ts";
import { apiUrl } from "../support/config.ts";
import { DESKTOP, PHONE } from "../support/screen-checks.ts";
import { test } from "../support/test.ts";
import {
  cardOf,
  confirmAction,
  logIn,
  openAdmin,
  openLive,
  sendProof,
  signIn,
} from "../support/users.ts";

/** The record of these tests has no trade that is over, and their payment methods are shared. */
async function serveRecord(page: Page): Promise<void> {
  const headers = { "Access-Control-Allow-Origin": "*" };
  const market = { symbol: "XAU/USD", timeframe: "4h", signal: "BUY", outcome: "WIN" };
  const levels = { entry: 1284.402, stop_loss: 1277.924, take_profit: 1297.357 };
  const end = { reason: "target", r_multiple: 1.96, resolved_at: "2026-11-27T20:00:00.000Z" };
  const won = { seq: 1, ...market, ...levels, ...end };
  // Newer, but its levels decided nothing.
  const expired = { ...won, seq: 2, symbol: "EUR/USD", outcome: "EXPIRED", reason: "hold-over" };
  const activity = { data: "live", items: [expired, won] };
  const methods = { bank_details_1: "", bank_details_2: "", bank_details_3: "IBAN 1\nBIC 2" };
  const links = { paypal_details: "https://paypal.me/a", skrill_details: "", wise_details: "" };
  const answers = { activity, performance: record, "payment-details": { ...methods, ...links } };
  for (const [path, json] of Object.entries(answers)) {
    await page.route(`${apiUrl}/${path}`, (route) => route.fulfill({ json, headers }));
  }
}

/** From the proof on the home page over the way to pay to the form of an account. */
async function goToRegister(page: Page): Promise<void> {
  await page.goto("/");
  const main = page.getByRole("main");
  await expect(main.getByText("Latest result of our record")).toBeInViewport({ ratio: 1 });
  for (const text of ["XAU/USD 4h", "WIN", "+1.96 R", /^Win rate of our record: .*interval/]) {
    await expect(main.getByText(text).first()).toBeVisible();
  }
  await expect(main.getByRole("link", { name: /BTC\/USDT/ }).first()).toHaveAttribute(
    "href",
    /\/bot\?symbol=/,
  );
  await page.setViewportSize(PHONE);
  await page.goto("/payment");
  const method = page.getByRole("link", { name: "https://paypal.me/a" });
  await expect(method).toBeInViewport();
  const fee = await page.getByRole("heading", { name: "Pro plan" }).boundingBox();
  expect((await method.boundingBox())?.y).toBeLessThan(fee?.y ?? 0);
  await expect(page.getByRole("button", { name: /^Copy/ })).toHaveCount(4);
  await page.setViewportSize(DESKTOP);
  await expect(page.getByRole("banner").getByRole("link", { name: "Register" })).toBeVisible();
  await page.getByRole("link", { name: "Home" }).click();
  await page.getByRole("link", { name: "Get Started" }).click();
  await page.getByRole("link", { name: "Create an account" }).click();
}

test("a visitor sees a result of the record, registers, pays, is approved and gets a signal", async ({
  page,
  openElsewhere,
}) => {
  const admin = await openElsewhere();
  await openAdmin(admin);
  const username = `trader-${randomUUID().slice(0, 8)}`;
  await serveRecord(page);
  await goToRegister(page);
  await page.getByLabel("Username").fill(username);
  await page.getByLabel("Email").fill(`${username}@example.com`);
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await page.getByRole("main").getByRole("button", { name: "Register" }).click();
  await expect(page.getByText("Registration successful!")).toBeVisible();
  await page.getByRole("link", { name: "Go to the dashboard now" }).click();
  await expect(page.getByText("Approval Pending")).toBeVisible();
  await expect(page.getByRole("main").getByRole("link", { name: /pricing/i })).toBeVisible();
  await expect(page.getByRole("link", { name: "Pay for a plan" })).toBeVisible();
  await expect(page.getByText("Latest result of our record")).toBeVisible();
  await sendProof(page, "Jane Miller");

  const card = cardOf(admin, username);
  await expect(card).toContainText("Jane Miller");
  await card.getByRole("button", { name: "Approve", exact: true }).click();
  await expect(card).toContainText("Approved");
  await expect(page.getByText("Account Approved", { exact: true })).toBeVisible();

  await page.getByRole("link", { name: "Open the signal bot" }).click();
  await page.getByRole("button", { name: "Get Signal" }).click();
  await expect(page.locator("[data-signal]")).toContainText("BTC/USDT");
  await confirmAction(admin, card.getByRole("button", { name: "Revoke", exact: true }));
  await expect(page).toHaveURL(/\/dashboard$/);
  await expect(page.getByText("Approval Pending")).toBeVisible();
});

test("logging out forgets the session in every tab and goes home", async ({ page, context }) => {
  await signIn(page, await newAdminSession());
  await page.goto("/dashboard");
  const tabs = [await context.newPage(), await context.newPage()] as const;
  // Connected: browsers complain of a socket that is closed while it opens.
  await openLive(tabs[0], "/signal-history");
  await openLive(tabs[1], "/admin");
  for (const tab of tabs) await expect(tab.getByRole("heading", { level: 1 })).toBeVisible();
  await page.getByRole("button", { name: "Logout" }).click();
  await expect(page).toHaveURL(/\/$/);
  for (const tab of tabs) await expect(tab).toHaveURL(/\/login$/);
  const kept = await page.evaluate(() => ({ ...localStorage }));
  for (const key of ["token", "isApproved", "isAdmin"]) expect(kept).not.toHaveProperty(key);
});

test.describe("with requests that are refused", () => {
  test.use({ expectsFailures: true });

  test("a visitor who opens the bot logs in, at the second try, and lands on the bot", async ({
    page,
  }) => {
    await page.goto("/bot");
    await expect(page).toHaveURL(/\/login$/);
    await logIn(page, { username: ADMIN.username, password: "not the password" });
    await expect(page.getByRole("alert")).toContainText("Wrong username or password.");
    await logIn(page);
    await expect(page).toHaveURL(/\/bot$/);
    const kept = await page.evaluate(() => ({ ...localStorage }));
    expect(kept).toMatchObject({ isApproved: "true", isAdmin: "true" });
    expect(Object.entries(kept).filter(([, value]) => value === kept.token)).toHaveLength(1);
  });
});
