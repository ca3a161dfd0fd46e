import { expect } from "playwright/test";
import { expectAccessible } from "../support/screen-checks.ts";
import { test } from "../support/test.ts";

test.describe("a screen whose code cannot be loaded", () => {
  test.use({ expectsFailures: true });

  test("says so accessibly below the navigation, and opens when it is asked for again", async ({
    page,
  }) => {
    const chunk = /\/contact-page[^/]*\.js$/;
    await page.route(chunk, (route) => route.abort());
    await page.goto("/contact");
    await expect(page.getByText("This part of the page could not be loaded.")).toBeVisible();
    await expect(page.getByRole("link", { name: "Pricing" }).first()).toBeVisible();
    await expectAccessible(page, "a screen that is not there");
    await page.unroute(chunk);
    await page.getByRole("button", { name: "Try again" }).click();
    await expect(page.getByRole("heading", { level: 1, name: "Contact" })).toBeVisible();
  });
});
