import { expect, type Page } from "playwright/test";
import { test } from "../support/test.ts";
import { logIn } from "../support/users.ts";

/** Asks for a signal and opens its own page from the result. */
async function openNewSignal(page: Page, symbol: string): Promise<void> {
  await page.goto("/bot");
  await logIn(page);
  await expect(page.getByRole("button", { name: "Get Signal" })).toBeEnabled();
  await page.getByRole("combobox", { name: "Symbol" }).fill(symbol);
  await page.keyboard.press("Tab");
  await page.getByRole("button", { name: "Get Signal" }).click();
  const result = page.locator("[data-signal]").filter({ hasText: symbol });
  await result.getByRole("link", { name: "Open", exact: true }).click();
  await expect(page).toHaveURL(/\/signals\/[0-9a-f]{24}$/);
}

test("a signal has a page of its own, with its chart and what the market makes of it", async ({
  page,
}) => {
  await openNewSignal(page, "BNB/USDT");
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
    await openNewSignal(page, "ADA/USDT");
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

test.describe("an address of no signal", () => {
  test.use({ expectsFailures: true });

  test("says so", async ({ page }) => {
    await page.goto("/signals/0123456789abcdef01234567");
    await logIn(page);
    await expect(page.getByRole("alert")).toContainText("This signal does not exist");
  });
});
