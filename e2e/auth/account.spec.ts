import { readFile } from "node:fs/promises";
import { callApi } from "@shared/testing/call-api.ts";
import { expect, type Page } from "playwright/test";
import {
  actAsAdmin,
  addEmailChannel,
  isChannelOn,
  makeTrader,
  PASSWORD,
  turnChannelOn,
} from "../support/api.ts";
import { apiUrl } from "../support/config.ts";
import { test } from "../support/test.ts";
import {
  logIn,
  mailedLink,
  openLive,
  registerTrader,
  sendProof,
  signIn,
} from "../support/users.ts";

async function setPassword(page: Page, password: string, button: string): Promise<void> {
  await page.getByLabel("New password", { exact: true }).fill(password);
  await page.getByLabel("Confirm new password").fill(password);
  await page.getByRole("button", { name: button }).click();
}

test("a proof shows in the other tab and after a reload, until an administrator deletes it", async ({
  page,
  context,
}) => {
  const username = await registerTrader(page);
  const other = await context.newPage();
  await openLive(other, "/dashboard");
  await page
    .getByLabel("Proof image")
    .setInputFiles({ name: "c.png", mimeType: "image/png", buffer: Buffer.from("no") });
  await expect(page.getByText(/can't be read/)).toBeVisible();
  await sendProof(page, "Jane Miller");
  await expect(page.getByText("Proof under review")).toBeVisible();
  await expect(other.getByText("Proof under review")).toBeVisible();
  await expect(other.getByText("Jane Miller")).toBeVisible();
  await page.reload();
  await expect(page.getByText("Jane Miller")).toBeVisible();
  await page.getByRole("button", { name: /^Enlarge/ }).click();
  const image = page.getByRole("dialog").getByRole("img");
  await expect(image).toHaveJSProperty("naturalWidth", 320);
  await page.keyboard.press("Escape");
  await actAsAdmin(`/admin/delete-proof/${username}`);
  await expect(page.getByText("Your proof was removed")).toBeVisible();
  await expect(page.getByRole("button", { name: "Submit proof" })).toBeVisible();
});

test("a new verification link is sent, and opening it anywhere shows here at once", async ({
  page,
  openElsewhere,
}) => {
  const trader = await makeTrader();
  const email = `${trader.username}@example.com`;
  await signIn(page, trader);
  await openLive(page, "/user-panel");
  await expect(page.getByText("Not verified yet")).toBeVisible();
  await page.getByRole("button", { name: "Send a new link" }).click();
  await expect(page.getByText(`A new verification link has been sent to ${email}.`)).toBeVisible();
  const link = await mailedLink(email, { path: "/verify-email", count: 2 });
  const elsewhere = await openElsewhere();
  await elsewhere.goto(link);
  await expect(elsewhere.getByRole("heading", { name: "Email verified" })).toBeVisible();
  await expect(page.getByText("Verified", { exact: true })).toBeVisible();
});

test("the link in an email of a channel turns it off, once its reader has confirmed that", async ({
  page,
}) => {
  const trader = await makeTrader();
  const email = `${trader.username}@example.com`;
  await page.goto(await mailedLink(email, { path: "/verify-email" }));
  await expect(page.getByRole("heading", { name: "Email verified" })).toBeVisible();
  const channel = await addEmailChannel(trader);
  const link = await mailedLink(email, { path: "/unsubscribe" });
  await page.goto(link);
  await expect(page.getByRole("heading", { name: "Turn these emails off?" })).toBeVisible();
  expect(await isChannelOn(trader, channel)).toBe(true);
  await page.getByRole("button", { name: "Turn them off" }).click();
  await expect(page.getByRole("heading", { name: "Emails are off" })).toBeVisible();
  expect(await isChannelOn(trader, channel)).toBe(false);

  await turnChannelOn(trader, channel);
  const oneClick = new URLSearchParams({ "List-Unsubscribe": "One-Click" });
  await callApi(apiUrl + link, { body: oneClick });
  expect(await isChannelOn(trader, channel)).toBe(false);
});

test("a trader downloads their data and deletes the account, which ends every tab", async ({
  page,
  context,
}) => {
  const username = await registerTrader(page);
  const other = await context.newPage();
  await openLive(other, "/dashboard");
  await openLive(page, "/user-panel");
  const saved = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download my data" }).click();
  const text = await readFile(await (await saved).path(), "utf8");
  expect(text).toContain(`"username": "${username}"`);
  await page.getByRole("button", { name: "Delete my account" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel(`Enter ${username} to confirm`).fill(username);
  await dialog.getByLabel("Your password").fill(PASSWORD);
  await dialog.getByRole("button", { name: "Delete my account" }).click();
  await expect(page.getByText("This account has been deleted.")).toBeVisible();
  await expect(other).toHaveURL(/\/login$/);
});

test.describe("with requests that are refused", () => {
  test.use({ expectsFailures: true });

  // Their access ends while the page may still be asking for something.
  test("the plan of the payment page becomes a subscription, whose end the open page explains, also after a reload", async ({
    page,
  }) => {
    const { username } = await makeTrader();
    await page.goto("/payment?plan=trader");
    await page.getByRole("link", { name: "Submit proof on the dashboard" }).click();
    await logIn(page, { username, password: PASSWORD });
    await expect(page.getByRole("combobox", { name: "Plan" })).toHaveValue("trader");
    const steps = page.getByRole("list", { name: "Steps to approval" });
    await expect(steps).toContainText("Send a payment proof: to do");
    await sendProof(page, "Jane Miller");
    await expect(steps).toContainText("Send a payment proof: done");
    await expect(steps).toContainText("An administrator is reviewing your proof.");
    await expect(page.getByText("Trader, $100 per month")).toBeVisible();
    await actAsAdmin(`/admin/approve/${username}`);
    await expect(page.getByText("Account Approved", { exact: true })).toBeVisible();
    await expect(page.getByRole("progressbar", { name: "Days left" })).toBeVisible();
    await expect(page.getByText("Trader, 1 month")).toBeVisible();
    await page.getByRole("link", { name: "Open the signal bot" }).click();
    await expect(page.getByRole("heading", { level: 1, name: "Signal bot" })).toBeVisible();
    await actAsAdmin(`/admin/revoke/${username}`);
    const reason = page.getByText("An administrator ended your Trader subscription");
    await expect(reason).toBeVisible();
    await page.reload();
    await expect(reason).toBeVisible();
    await actAsAdmin(`/admin/renew/${username}`, { plan: "pro", months: "1" });
    await expect(page.getByRole("heading", { level: 1, name: "Signal bot" })).toBeVisible();
  });

  test("a changed password ends the other sessions, keeps this one, and is the next login's", async ({
    page,
    openElsewhere,
  }) => {
    const trader = await makeTrader();
    const { username } = trader;
    const elsewhere = await openElsewhere();
    await signIn(elsewhere, trader);
    await elsewhere.goto("/dashboard");
    await expect(elsewhere.getByText("Approval Pending")).toBeVisible();
    await page.goto("/login");
    await logIn(page, { username, password: PASSWORD });
    await page.getByRole("link", { name: "Account settings" }).click();
    await page.getByLabel("Current password").fill(PASSWORD);
    await setPassword(page, "another-456", "Change password");
    await expect(page.getByText("Password changed")).toBeVisible();
    await expect(page.getByLabel("Current password")).toHaveValue("");
    await expect(elsewhere).toHaveURL(/\/login$/);
    await expect(elsewhere.getByText(/Your password was changed/)).toBeVisible();
    await page.reload();
    await expect(page.getByRole("heading", { name: "User Panel" })).toBeVisible();
    await logIn(elsewhere, { username, password: "another-456" });
    await expect(elsewhere).toHaveURL(/\/dashboard$/);
  });

  test("the mailed link sets a new password once, and ends the sessions there are", async ({
    page,
    openElsewhere,
  }) => {
    const elsewhere = await openElsewhere();
    const username = await registerTrader(elsewhere);
    const email = `${username}@example.com`;
    await page.goto("/forgot-password");
    await page.getByLabel("Email").fill(email);
    await page.getByRole("button", { name: "Send reset link" }).click();
    await expect(page.getByText(`If an account with ${email} exists`)).toBeVisible();
    const link = await mailedLink(email, { path: "/reset-password" });
    await page.goto(link);
    await setPassword(page, "another-456", "Set new password");
    await expect(page.getByRole("heading", { name: "Password changed" })).toBeVisible();
    await expect(elsewhere).toHaveURL(/\/login$/);

    await page.goto(link);
    await setPassword(page, "third-789", "Set new password");
    await expect(page.getByRole("heading", { name: "This link does not work" })).toBeVisible();
    await page.goto("/login");
    await logIn(page, { username, password: "another-456" });
    await expect(page).toHaveURL(/\/dashboard$/);
  });

  test("a verification link is used by opening it, once; later it says so and shows a way on", async ({
    page,
  }) => {
    const { username } = await makeTrader();
    const link = await mailedLink(`${username}@example.com`, { path: "/verify-email" });
    let requests = 0;
    page.on("request", (request) => {
      if (request.method() === "POST" && request.url().endsWith("/verify-email")) requests += 1;
    });
    await page.goto(link);
    await expect(page.getByRole("heading", { name: "Email verified" })).toBeVisible();
    expect(requests).toBe(1);
    await page.reload();
    await expect(page.getByRole("heading", { name: "This link does not work" })).toBeVisible();
    await page.getByRole("link", { name: "Log in for a new link" }).click();
    await logIn(page, { username, password: PASSWORD });
    await expect(page).toHaveURL(/\/user-panel$/);
    await expect(page.getByText("Verified", { exact: true })).toBeVisible();
  });
});
