import { expect } from "playwright/test";
import { makeTrader } from "../support/api.ts";
import { test } from "../support/test.ts";
import { signIn } from "../support/users.ts";

test("symbols are picked by class with prices, watched ones come first, and the form shows at once what its numbers mean", async ({
  page,
}) => {
  await signIn(page, await makeTrader({ approved: true }));
  await page.goto("/bot");
  const symbol = page.getByRole("combobox", { name: "Symbol" });
  await symbol.click();
  const metals = page.getByRole("group", { name: "Metals" });
  await expect(metals.getByRole("option")).toHaveText(["XAU/USD", "XAG/USD"]);
  await expect(page.getByText(/^(Prices at .+|Live prices), change in 24 hours$/)).toBeVisible();
  await expect(page.getByRole("option", { name: "BTC/USDT" })).toHaveAccessibleDescription(
    /^Bitcoin ?\d+\.\d{5} [+−]?\d+\.\d+%$/,
  );
  await metals.getByRole("option", { name: "XAU/USD" }).click();
  await expect(symbol).toHaveValue("XAU/USD");
  await page.getByRole("radio", { name: "4h" }).check();
  await page.getByRole("button", { name: "Watch XAU/USD 4h" }).click();
  const leverage = page.getByRole("textbox", { name: "Leverage" });
  await leverage.fill("0");
  await page.getByRole("textbox", { name: "Amount (USD)" }).fill("2000");
  await expect(leverage).toHaveValue("1");
  await expect(page.getByText("$20.00")).toBeVisible();
  await page.getByRole("button", { name: "Get Signal" }).click();
  await expect(page.locator("[data-signal]")).toContainText("XAU/USD 4h");
  await page.reload();
  await symbol.click();
  await expect(page.getByRole("group", { name: "Watched" }).getByRole("option")).toHaveText([
    "XAU/USD",
  ]);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("End");
  await page.keyboard.press("Enter");
  await expect(symbol).toHaveValue("BRENT");
  // The card of the other market stays, but the numbers are no longer of it.
  await expect(page.getByText("For your next signal")).toBeVisible();
});
