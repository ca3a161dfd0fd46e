import { expect } from "playwright/test";
import { makeTrade, makeTrader } from "../support/api.ts";
import { test } from "../support/test.ts";
import { signIn } from "../support/users.ts";

test.describe("a shared signal", () => {
  // A link that is asked for after its end is not found, which the browser logs.
  test.use({ expectsFailures: true });

  test("is seen by a visitor by its link, without levels while its trade is open, and no more once its owner stops sharing", async ({
    page,
    openElsewhere,
  }) => {
    const trader = await makeTrader({ approved: true });
    const { signal_id: id, symbol } = await makeTrade(trader);
    await signIn(page, trader);
    await page.goto(`/signals/${id}`);
    await page.getByRole("button", { name: "Create link" }).click();
    const link = await page.getByLabel("Link to this signal").inputValue();

    const html = await (await page.request.get(link)).text();
    const [, image = ""] = /property="og:image" content="([^"]+)"/.exec(html) ?? [];
    expect(image).toContain(`${new URL(link).pathname}/image.png`);
    const preview = await page.request.get(image);
    expect(preview.headers()["content-type"]).toBe("image/png");

    const visitor = await openElsewhere();
    await visitor.goto(link);
    await expect(visitor.getByRole("heading", { level: 1 })).toContainText(symbol);
    // By default, a trade is shown once it has ended.
    await expect(visitor.getByText("This trade is open.")).toBeVisible();
    await expect(visitor.getByText(/Stop loss|Take profit/)).toHaveCount(0);
    await expect(visitor.getByText("Shared by a trader")).toBeVisible();
    await expect(visitor.getByText("Anyone with the link")).toBeHidden();
    const account = visitor.getByRole("main").getByRole("link", { name: "Create an account" });
    await expect(account).toHaveAttribute("href", "/register");
    await expect(visitor.locator('meta[name="robots"]')).toHaveAttribute("content", /noindex/);

    await page.getByRole("button", { name: "Stop sharing" }).click();
    await page.getByRole("button", { name: "Undo" }).click();
    expect((await page.request.get(image)).status()).toBe(200);
    await page.getByRole("button", { name: "Stop sharing" }).click();
    await page.getByRole("button", { name: "Dismiss" }).click();
    await expect(page.getByRole("button", { name: "Create link" })).toBeEnabled();
    expect((await page.request.get(image)).status()).toBe(404);
    await visitor.reload();
    await expect(
      visitor.getByRole("heading", { name: "This link no longer works." }),
    ).toBeVisible();
  });
});
