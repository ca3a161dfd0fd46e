import { randomUUID } from "node:crypto";
import { expect } from "playwright/test";
import { ADMIN, newAdminSession, PASSWORD } from "../support/api.ts";
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

test("a trader registers, pays, is approved and gets a signal", async ({ page, openElsewhere }) => {
  const admin = await openElsewhere();
  await openAdmin(admin);
  const username = `trader-${randomUUID().slice(0, 8)}`;
  await page.goto("/register");
  await page.getByLabel("Username").fill(username);
  await page.getByLabel("Email").fill(`${username}@example.com`);
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await page.getByRole("main").getByRole("button", { name: "Register" }).click();
  await expect(page.getByText("Registration successful!")).toBeVisible();
  await page.getByRole("link", { name: "Go to the dashboard now" }).click();
  await expect(page.getByText("Approval Pending")).toBeVisible();
  await expect(page.getByRole("main").getByRole("link", { name: /pricing/i })).toBeVisible();
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
