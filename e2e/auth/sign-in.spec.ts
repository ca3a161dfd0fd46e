import { randomUUID } from "node:crypto";
import { record } from "@shared/testing/performance-record.ts";
import { expect, type Page } from "playwright/test";
import { actAsAdmin, PASSWORD } from "../support/api.ts";
import { apiUrl } from "../support/config.ts";
import { DESKTOP, PHONE } from "../support/screen-checks.ts";
import { test } from "../support/test.ts";
import { cardOf, confirmAction, openAdmin, sendProof } from "../support/users.ts";

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
  await page.goto("/payment?plan=trader");
  const method = page.getByRole("link", { name: "https://paypal.me/a" });
  await expect(method).toBeInViewport();
  const fee = await page.getByRole("heading", { name: "Trader plan" }).boundingBox();
  expect((await method.boundingBox())?.y).toBeLessThan(fee?.y ?? 0);
  await expect(page.getByRole("button", { name: /^Copy/ })).toHaveCount(4);
  await page.setViewportSize(DESKTOP);
  await page.getByRole("link", { name: "Submit proof on the dashboard" }).click();
  await page.getByRole("main").getByRole("link", { name: "Register" }).click();
  // The form that this one replaces has fields of the same names.
  await expect(page.getByRole("heading", { name: "Register" })).toBeVisible();
}

// Their access ends while the page may still be asking for something.
test.use({ expectsFailures: true });

test("a visitor sees a result of the record, registers, pays for a plan, is approved and gets a signal, and reads why the access ends", async ({
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
  await expect(page.getByRole("combobox", { name: "Plan" })).toHaveValue("trader");
  await sendProof(page, "Jane Miller");
  const steps = page.getByRole("list", { name: "Steps to approval" });
  await expect(steps).toContainText("An administrator is reviewing your proof.");

  const card = cardOf(admin, username);
  await expect(card).toContainText("Jane Miller");
  await card.getByRole("button", { name: "Approve", exact: true }).click();
  await expect(card).toContainText("Trader, ends");
  await expect(page.getByText("Account Approved", { exact: true })).toBeVisible();
  await expect(page.getByRole("progressbar", { name: "Days left" })).toBeVisible();
  await expect(page.getByText("Trader, 1 month")).toBeVisible();

  await page.getByRole("link", { name: "Open the signal bot" }).click();
  await expect(page.getByText(/image credits left/)).toBeVisible();
  await page.getByRole("button", { name: "Get Signal" }).click();
  await expect(page.locator("[data-signal]")).toContainText("BTC/USDT");
  await confirmAction(admin, card.getByRole("button", { name: "Revoke", exact: true }));
  await expect(page.getByText("An administrator ended your Trader subscription")).toBeVisible();
  await actAsAdmin(`/admin/renew/${username}`, { plan: "pro", months: "1" });
  await expect(page.getByRole("heading", { level: 1, name: "Signal bot" })).toBeVisible();
});
