import { readFile } from "node:fs/promises";
import { expect, type Page } from "playwright/test";
import { addEmailChannel, isChannelOn, makeTrader, PASSWORD } from "../support/api.ts";
import { test } from "../support/test.ts";
import { logIn, mailedLink, openLive, signIn } from "../support/users.ts";

// A used link and an ended session are refused, which the browser logs.
test.use({ expectsFailures: true });

async function setPassword(page: Page, password: string, button: string): Promise<void> {
  await page.getByLabel("New password", { exact: true }).fill(password);
  await page.getByLabel("Confirm new password").fill(password);
  await page.getByRole("button", { name: button }).click();
}

test("a new verification link is used once by opening it anywhere, which shows here at once; the link in an email of a channel turns it off once its reader has confirmed that", async ({
  page,
  openElsewhere,
}) => {
  const trader = await makeTrader();
  const { username } = trader;
  const email = `${username}@example.com`;
  await signIn(page, trader);
  await openLive(page, "/user-panel");
  await expect(page.getByText("Not verified yet")).toBeVisible();
  await page.getByRole("button", { name: "Send a new link" }).click();
  await expect(page.getByText(`A new verification link has been sent to ${email}.`)).toBeVisible();
  const link = await mailedLink(email, { path: "/verify-email", count: 2 });
  const elsewhere = await openElsewhere();
  let requests = 0;
  elsewhere.on("request", (request) => {
    if (request.method() === "POST" && request.url().endsWith("/verify-email")) requests += 1;
  });
  await elsewhere.goto(link);
  await expect(elsewhere.getByRole("heading", { name: "Email verified" })).toBeVisible();
  expect(requests).toBe(1);
  await expect(page.getByText("Verified", { exact: true })).toBeVisible();
  await elsewhere.reload();
  await expect(elsewhere.getByRole("heading", { name: "This link does not work" })).toBeVisible();
  await elsewhere.getByRole("link", { name: "Log in for a new link" }).click();
  await logIn(elsewhere, { username, password: PASSWORD });
  await expect(elsewhere).toHaveURL(/\/user-panel$/);
  await expect(elsewhere.getByText("Verified", { exact: true })).toBeVisible();

  const channel = await addEmailChannel(trader);
  await elsewhere.goto(await mailedLink(email, { path: "/unsubscribe" }));
  await expect(elsewhere.getByRole("heading", { name: "Turn these emails off?" })).toBeVisible();
  expect(await isChannelOn(trader, channel)).toBe(true);
  await elsewhere.getByRole("button", { name: "Turn them off" }).click();
  await expect(elsewhere.getByRole("heading", { name: "Emails are off" })).toBeVisible();
  expect(await isChannelOn(trader, channel)).toBe(false);
});

test("a changed password and a mailed link end the other sessions, the link works once, and a deleted account ends every tab", async ({
  page,
  openElsewhere,
}) => {
  const trader = await makeTrader();
  const { username } = trader;
  const email = `${username}@example.com`;
  const elsewhere = await openElsewhere();
  await signIn(elsewhere, trader);
  await openLive(elsewhere, "/dashboard");
  await page.goto("/login");
  await logIn(page, { username, password: PASSWORD });
  await page.getByRole("link", { name: "Account settings" }).click();
  await page.getByLabel("Current password").fill(PASSWORD);
  await setPassword(page, "another-456", "Change password");
  await expect(page.getByText("Password changed")).toBeVisible();
  await expect(page.getByLabel("Current password")).toHaveValue("");
  await expect(elsewhere).toHaveURL(/\/login$/);
  await expect(elsewhere.getByText(/Your password was changed/)).toBeVisible();

  await elsewhere.getByRole("link", { name: /forgot/i }).click();
  await elsewhere.getByLabel("Email").fill(email);
  await elsewhere.getByRole("button", { name: "Send reset link" }).click();
  await expect(elsewhere.getByText(`If an account with ${email} exists`)).toBeVisible();
  const link = await mailedLink(email, { path: "/reset-password" });
  await elsewhere.goto(link);
  await setPassword(elsewhere, "third-789", "Set new password");
  await expect(elsewhere.getByRole("heading", { name: "Password changed" })).toBeVisible();
  await expect(page).toHaveURL(/\/login$/);
  await elsewhere.reload();
  await setPassword(elsewhere, "fourth-012", "Set new password");
  await expect(elsewhere.getByRole("heading", { name: "This link does not work" })).toBeVisible();

  await logIn(page, { username, password: "third-789" });
  await expect(page.getByRole("heading", { name: "User Panel" })).toBeVisible();
  const other = await page.context().newPage();
  await openLive(other, "/dashboard");
  const saved = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download my data" }).click();
  const text = await readFile(await (await saved).path(), "utf8");
  expect(text).toContain(`"username": "${username}"`);
  await page.getByRole("button", { name: "Delete my account" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel(`Enter ${username} to confirm`).fill(username);
  await dialog.getByLabel("Your password").fill("third-789");
  await dialog.getByRole("button", { name: "Delete my account" }).click();
  await expect(page.getByText("This account has been deleted.")).toBeVisible();
  await expect(other).toHaveURL(/\/login$/);
});
