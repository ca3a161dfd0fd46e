import { expect } from "playwright/test";
import { test } from "../support/test.ts";

test("the home page says what the product is, from top to bottom", async ({ page }) => {
  await page.goto("/");
  await expect(
    page.getByRole("heading", { level: 1, name: "AI-Powered Trading Signals" }),
  ).toBeVisible();
  await expect(page.getByRole("heading", { level: 2 })).toHaveText([
    "Why Choose Our Bot?",
    "Market Overview",
    "Cryptocurrency Markets",
  ]);
  await expect(page.getByRole("heading", { level: 3 })).toHaveText([
    "AI-Driven Analysis",
    "Real-Time Signals",
    "Comprehensive History",
  ]);
  const footer = page.getByRole("contentinfo");
  await expect(footer.getByRole("link", { name: "Privacy Policy" })).toHaveAttribute(
    "href",
    "/privacy",
  );
  await expect(footer.getByRole("link", { name: "Terms of Service" })).toHaveAttribute(
    "href",
    "/terms",
  );
});

test("an address that no screen has says so and leads home", async ({ page }) => {
  await page.goto("/no-such-page");
  await expect(page.getByRole("heading", { level: 1, name: "Page not found" })).toBeVisible();
  await page.getByRole("link", { name: "Go to the home page" }).click();
  await expect(page).toHaveURL(/\/$/);
});

test("the phone's menu leads through the screens and closes behind itself", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto("/");
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await page.getByRole("button", { name: "Open menu" }).click();
  const menu = page.getByRole("dialog", { name: "Menu" });
  await expect(menu.getByRole("link", { name: "Login" })).toBeVisible();
  await menu.getByRole("link", { name: "Pricing" }).click();
  await expect(page).toHaveURL(/\/pricing$/);
  await expect(menu).toBeHidden();
});

test.describe("a screen whose code cannot be loaded", () => {
  test.use({ expectsFailures: true });

  test("says that something went wrong, and opens when it is reloaded", async ({ page }) => {
    const chunk = /\/contact-page[^/]*\.js$/;
    await page.route(chunk, (route) => route.abort());
    await page.goto("/contact");
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Something went wrong");
    await expect(page.getByText("Technical details")).toBeVisible();
    await page.unroute(chunk);
    await page.getByRole("button", { name: "Reload page" }).click();
    await expect(page.getByRole("heading", { level: 1, name: "Contact" })).toBeVisible();
  });
});
