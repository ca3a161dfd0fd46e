import { expect, type Page } from "playwright/test";
import { makeTrader } from "../support/api.ts";
import { test } from "../support/test.ts";
import { signIn } from "../support/users.ts";

/** As when its tab comes into view again. */
const comeIntoView = (page: Page) =>
  page.evaluate(() => document.dispatchEvent(new Event("visibilitychange", { bubbles: true })));

test("a market is watched from the list by its keyboard, with the star on the bot page, and switched off in another tab", async ({
  page,
  context,
}) => {
  await signIn(page, await makeTrader({ approved: true }));
  await page.goto("/watchlist");
  await page.getByRole("button", { name: "Choose a market" }).click();
  await page.keyboard.type("eth/usdt");
  await page.keyboard.press("Escape");
  await page.getByRole("radio", { name: "4h" }).check();
  await page.getByRole("button", { name: "Watch", exact: true }).click();
  await expect(page.getByText("1 of 20 markets")).toBeVisible();
  const ethereum = page.getByRole("article", { name: "ETH/USDT 4h" });
  await expect(ethereum.getByRole("timer")).toHaveText(/^in /);

  await page
    .getByRole("navigation", { name: "Main" })
    .getByRole("link", { name: "BOT", exact: true })
    .click();
  await expect(page.getByRole("heading", { level: 1, name: "Signal bot" })).toBeVisible();
  await page.getByRole("textbox", { name: "Amount (USD)" }).fill("2000");
  const star = page.getByRole("button", { name: "Watch BTC/USDT 1h" });
  await star.click();
  await expect(star).toHaveAttribute("aria-pressed", "true");
  await page.getByRole("button", { name: "Watchlist" }).click();
  const bitcoin = page.getByRole("article", { name: "BTC/USDT 1h" });
  await expect(bitcoin).toContainText("$2,000.00");
  await bitcoin.getByRole("button", { name: "Edit BTC/USDT 1h" }).click();
  await page.getByRole("form").getByLabel("Min. confidence (%)").fill("65");
  await page.keyboard.press("Enter");
  await expect(bitcoin).toContainText("From 65%");

  const other = await context.newPage();
  await other.goto("/watchlist");
  const otherSwitch = other.getByRole("switch", { name: "Watch BTC/USDT 1h" });
  const saved = other.waitForResponse((response) => response.request().method() === "PATCH");
  await otherSwitch.click();
  await saved;
  await expect(otherSwitch).not.toBeChecked();
  await comeIntoView(page);
  await expect(bitcoin).toContainText("Off");
});
