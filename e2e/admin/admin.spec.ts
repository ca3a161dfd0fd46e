import { expect } from "playwright/test";
import { makeTrader } from "../support/api.ts";
import { holdAnswer } from "../support/network.ts";
import { test } from "../support/test.ts";
import {
  cardOf,
  confirmAction,
  openAdmin,
  openAsAdmin,
  registerTrader,
  sendProof,
} from "../support/users.ts";

test("a registration and a proof are announced and counted until the panel is opened", async ({
  page,
  openElsewhere,
}) => {
  await openAsAdmin(page, "/dashboard");
  await expect(page.getByRole("heading", { name: "Administration" })).toBeVisible();
  const trader = await openElsewhere();
  const username = await registerTrader(trader);
  await expect(page.getByText(username).first()).toBeVisible();
  await expect(page.getByText("New registration", { exact: true }).first()).toBeVisible();
  await sendProof(trader, "Jane Miller");
  await expect(page.getByText("New payment proof", { exact: true })).toBeVisible();
  await expect(page.getByText(/^([2-9]|\d\d+) unread admin notifications$/)).toBeAttached();
  await page.getByRole("link", { name: "Admin", exact: true }).click();
  await expect(cardOf(page, username)).toContainText("Jane Miller");
  await expect(page.getByText(/unread admin notification/)).toHaveCount(0);
});

test("a card appears and changes while the panel is open", async ({ page, openElsewhere }) => {
  await openAdmin(page);
  const trader = await openElsewhere();
  const username = await registerTrader(trader);
  const card = cardOf(page, username);
  await expect(card).toContainText("Pending");
  await expect(card.getByRole("button", { name: "Revoke", exact: true })).toBeDisabled();
  await sendProof(trader, "Jane Miller");
  await card.getByRole("button", { name: /^Enlarge/ }).click();
  await expect(page.getByRole("dialog").getByRole("img")).toHaveJSProperty("naturalWidth", 320);
  await page.keyboard.press("Escape");
  await card.getByRole("button", { name: "Approve", exact: true }).click();
  await expect(card).toContainText("Approved");
  await expect(card.getByRole("button", { name: "Approve", exact: true })).toBeDisabled();
});

test("a registration told of while the users are still being read is in the list", async ({
  page,
}) => {
  const old = await holdAnswer(page, /\/admin\/list-users$/);
  await openAdmin(page);
  await old.isMade;
  const { username } = await makeTrader();
  await expect(page.getByText("New registration")).toBeVisible();
  old.release();
  await expect(cardOf(page, username)).toBeVisible();
});

test("revoking asks first and says what will be lost", async ({ page }) => {
  const { username } = await makeTrader();
  await openAdmin(page);
  const card = cardOf(page, username);
  await card.getByRole("button", { name: "Approve", exact: true }).click();
  const revoke = card.getByRole("button", { name: "Revoke", exact: true });
  await revoke.click();
  await expect(page.getByRole("alertdialog")).toContainText("loses access to the signal bot");
  await page.keyboard.press("Escape");
  await expect(page.getByRole("alertdialog")).toBeHidden();
  await expect(card).toContainText("Approved");
  await confirmAction(page, revoke);
  await expect(card).toContainText("Pending");
});

test("credits and image permission reach the trader at once", async ({ page, openElsewhere }) => {
  const trader = await openElsewhere();
  const username = await registerTrader(trader);
  await openAdmin(page);
  const card = cardOf(page, username);
  await card.getByRole("button", { name: "Allow image upload" }).click();
  await expect(card.getByRole("button", { name: "Block image upload" })).toBeVisible();
  await card.getByRole("button", { name: "Grant credits" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Number of credits").fill("1e3");
  await dialog.getByRole("button", { name: "Grant" }).click();
  await expect(dialog.getByText("Invalid number.")).toBeVisible();
  await dialog.getByLabel("Number of credits").fill("25");
  await dialog.getByRole("button", { name: "Grant" }).click();
  await expect(dialog).toBeHidden();
  await expect(card).toContainText("25");
  await expect(trader.locator("dl").filter({ hasText: "Image credits" })).toContainText("25");
});

test("a deleted user is gone and is told so", async ({ page, openElsewhere }) => {
  const trader = await openElsewhere();
  const username = await registerTrader(trader);
  await openAdmin(page);
  await confirmAction(page, cardOf(page, username).getByRole("button", { name: "Delete user" }));
  await expect(cardOf(page, username)).toHaveCount(0);
  await expect(trader).toHaveURL(/\/login$/);
  await expect(trader.getByText("This account has been deleted.")).toBeVisible();
});

test("users are found by name and by what they wait for", async ({ page }) => {
  const { username } = await makeTrader();
  await openAdmin(page);
  await page.getByLabel("Search users").fill(username.toUpperCase());
  await expect(page.getByRole("article")).toHaveCount(1);
  await page.getByRole("button", { name: /^With proof/ }).click();
  await expect(page.getByText("No matching users.")).toBeVisible();
  await page.getByRole("button", { name: /^Pending/ }).click();
  await expect(cardOf(page, username)).toBeVisible();
});

test("payment details are saved and follow in another tab", async ({ page, context }) => {
  await openAdmin(page);
  const other = await context.newPage();
  await other.goto("/admin");
  await expect(other.getByLabel("Skrill")).toBeVisible();
  const text = `skrill-${Date.now()}@example.com`;
  await page.getByLabel("Skrill").fill(text);
  await page.getByRole("button", { name: "Save payment details" }).click();
  await expect(page.getByText("The payment details are saved.")).toBeVisible();
  await expect(other.getByLabel("Skrill")).toHaveValue(text);
  await page.reload();
  await expect(page.getByLabel("Skrill")).toHaveValue(text);
});

test("the panel fits a small screen", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await openAdmin(page);
  await expect(page.getByRole("article").first()).toBeVisible();
  const overflow = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  expect(overflow).toBe(0);
});
