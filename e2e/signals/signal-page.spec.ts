import { expect } from "playwright/test";
import { makeSignal, makeTrader } from "../support/api.ts";
import { test } from "../support/test.ts";
import { signIn } from "../support/users.ts";

test("a signal has a page of its own, with its chart and what the market makes of it", async ({
  page,
}) => {
  await signIn(page, await makeTrader({ approved: true }));
  await page.goto("/bot");
  await page.getByRole("combobox", { name: "Symbol" }).fill("BNB/USDT");
  await page.keyboard.press("Tab");
  await page.getByRole("button", { name: "Get Signal" }).click();
  const result = page.locator("[data-signal]").filter({ hasText: "BNB/USDT" });
  await result.getByRole("link", { name: "Open", exact: true }).click();
  await expect(page).toHaveURL(/\/signals\/[0-9a-f]{24}$/);
  await expect(page.getByRole("heading", { level: 1, name: /BNB\/USDT/ })).toBeVisible();
  await expect(page.locator("canvas").first()).toBeVisible();
  await expect(page.getByRole("region", { name: "Outcome" })).toBeVisible();
  await page.reload();
  await expect(page.getByRole("heading", { level: 1, name: /BNB\/USDT/ })).toBeVisible();
  await page.getByRole("link", { name: "All signals" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Signal history" })).toBeVisible();
});

test.describe("a shared signal", () => {
  // A link that is asked for after its end is not found, which the browser logs.
  test.use({ expectsFailures: true });

  test("is seen by a visitor by its link, and no more once its owner stops sharing", async ({
    page,
    openElsewhere,
  }) => {
    const trader = await makeTrader({ approved: true });
    const { signal_id: id } = await makeSignal(trader, { symbol: "ADA/USDT" });
    await signIn(page, trader);
    await page.goto(`/signals/${id}`);
    await page.getByRole("button", { name: "Create link" }).click();
    const link = await page.getByLabel("Link to this signal").inputValue();

    const visitor = await openElsewhere();
    await visitor.goto(link);
    await expect(visitor.getByRole("heading", { level: 1, name: /ADA\/USDT/ })).toBeVisible();
    await expect(visitor.getByText("Shared by a trader")).toBeVisible();
    await expect(visitor.getByText("Anyone with the link")).toBeHidden();
    await expect(visitor.locator('meta[name="robots"]')).toHaveAttribute("content", /noindex/);

    await page.getByRole("button", { name: "Stop sharing" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Stop sharing" }).click();
    await expect(page.getByRole("button", { name: "Create link" })).toBeVisible();
    await visitor.reload();
    await expect(
      visitor.getByRole("heading", { name: "This link no longer works." }),
    ).toBeVisible();
  });
});
