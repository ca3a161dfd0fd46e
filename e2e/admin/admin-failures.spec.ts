import { expect, type Page } from "playwright/test";
import { makeSignal, makeTrader, submitProof } from "../support/api.ts";
import { holdSockets } from "../support/network.ts";
import { test } from "../support/test.ts";
import { cardOf, confirmAction, openAdmin, openAsAdmin, pictureBytes } from "../support/users.ts";

test.use({ expectsFailures: true });

/** Lets every call to these paths fail with a reason. */
async function breakCalls(page: Page, paths: RegExp): Promise<void> {
  await page.route(paths, (route) =>
    route.fulfill({
      status: 500,
      headers: { "Access-Control-Allow-Origin": "*" },
      json: { detail: "Out of order.", code: "internal", request_id: "r1" },
    }),
  );
}

/** Confirms an action that fails: the dialog stays, says why, and can be left. */
async function expectRefusal(page: Page, action: { in?: string; name: string; text: string }) {
  const place = action.in ? cardOf(page, action.in) : page;
  await confirmAction(page, place.getByRole("button", { name: action.name }).first());
  const dialog = page.getByRole("alertdialog");
  await expect(dialog.getByRole("alert")).toHaveText(action.text);
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await expect(dialog).toBeHidden();
}

test("each part that cannot be loaded says so, and is read again on request", async ({
  page,
  context,
}) => {
  await holdSockets(context);
  const reads = /\/(admin\/list-users|admin\/chart-images|payment-details)$/;
  await page.route(reads, (route) => route.abort());
  await openAdmin(page);
  await expect(page.getByText("Failed to load users.")).toBeVisible();
  await expect(page.getByText("Failed to load chart images.")).toBeVisible();
  await expect(page.getByText("Failed to load payment details.")).toBeVisible();
  await page.unroute(reads);
  await page.getByRole("button", { name: "Try again" }).first().click();
  await expect(page.getByRole("article").first()).toBeVisible();
});

test("each action on a user that fails says so, and changes nothing", async ({ page }) => {
  const trader = await makeTrader();
  const { username } = trader;
  await submitProof(trader, { senderName: "Jane Miller", picture: await pictureBytes() });
  await openAdmin(page);
  const card = cardOf(page, username);
  await expect(card).toBeVisible();
  await breakCalls(page, /\/admin\/(?!list-users|chart-images)/);
  await card.getByRole("button", { name: "Approve", exact: true }).click();
  await expect(card.getByText(`Failed to approve ${username}`)).toBeVisible();
  await card.getByRole("button", { name: "Allow image upload" }).click();
  await expect(card.getByText("Failed to update image upload permission.")).toBeVisible();

  await card.getByRole("button", { name: "Grant credits" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Number of credits").fill("5");
  await dialog.getByRole("button", { name: "Grant", exact: true }).click();
  await expect(dialog.getByRole("alert")).toHaveText("Failed to grant upload credits.");
  await dialog.getByRole("button", { name: "Cancel" }).click();

  const refusals = [
    ["Clear history", `Failed to clear signal history for ${username}.`],
    ["Delete proof", `Failed to delete proof for ${username}.`],
    ["Delete user", `Failed to delete user ${username}. Error: Out of order.`],
  ] as const;
  for (const [name, text] of refusals) await expectRefusal(page, { in: username, name, text });
  await expect(card).toContainText("Pending");
  await expect(card).toContainText("Jane Miller");
});

test("a revocation that fails says so, and the user stays approved", async ({ page }) => {
  const { username } = await makeTrader({ approved: true });
  await openAdmin(page);
  await breakCalls(page, /\/admin\/revoke\//);
  const text = `Failed to revoke ${username}`;
  await expectRefusal(page, { in: username, name: "Revoke", text });
  await expect(cardOf(page, username)).toContainText("Approved");
});

test("what concerns all users says so when it fails", async ({ page }) => {
  const trader = await makeTrader({ approved: true, imageCredits: 1 });
  await makeSignal(trader, { symbol: "BTC/USDT", chartImage: await pictureBytes() });
  await openAdmin(page);
  await expect(page.getByRole("button", { name: "Delete image" }).first()).toBeVisible();
  await breakCalls(page, /\/admin\/(?!list-users|chart-images)/);
  const refusals = [
    ["Delete image", "Failed to delete image. Error: Out of order."],
    ["Cleanup Images", "Failed to clean up images. Error: Out of order."],
    ["Clear all history", "Failed to clear all signal history. Error: Out of order."],
  ] as const;
  for (const [name, text] of refusals) await expectRefusal(page, { name, text });

  await page.getByLabel("Skrill").fill("somebody@example.com");
  await page.getByRole("button", { name: "Save payment details" }).click();
  await expect(page.getByText("Failed to update payment details.")).toBeVisible();
  await expect(page.getByLabel("Skrill")).toHaveValue("somebody@example.com");
});

test("a cleanup that fails from the bot page says so", async ({ page }) => {
  await openAsAdmin(page, "/bot");
  await breakCalls(page, /\/admin\/cleanup-images$/);
  const text = "Failed to clean up images. Error: Out of order.";
  await expectRefusal(page, { name: "Cleanup Images", text });
});
