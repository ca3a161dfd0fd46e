import { expect, type Page } from "playwright/test";
import { adminSession } from "../support/api.ts";
import { holdRequests } from "../support/network.ts";
import { test } from "../support/test.ts";
import { logIn, signIn } from "../support/users.ts";

/** Keeps the application away until it is released, as a slow network does. */
const holdCode = (page: Page) => holdRequests(page, { url: /\/assets\/.*\.js$/ });

/** Opens a page whose code does not come. */
const open = (page: Page, path: string) => page.goto(path, { waitUntil: "domcontentloaded" });

const screens = [
  ["/", "AI-Powered Trading Signals"],
  ["/pricing", "Pricing"],
  ["/contact", "Contact"],
  ["/login", "Login"],
  ["/register", "Register"],
  ["/privacy", "Privacy Policy"],
  ["/terms", "Terms of Service"],
  ["/forgot-password", "Forgot password"],
] as const;

const login = (page: Page) => page.getByRole("banner").getByRole("link", { name: "Login" });

test.describe("before any script has run", () => {
  test.use({ javaScriptEnabled: false });

  test("the public screens can be read, each under its own name, and no other address shows the home page", async ({
    page,
  }) => {
    for (const [path, heading] of screens) {
      await page.goto(path);
      await expect(page.getByRole("heading", { level: 1 })).toHaveText(heading);
      await expect(page).toHaveTitle(
        path === "/" ? "AI Trading Bot" : new RegExp(`^${heading} · `),
      );
    }
    await page.goto("/no-such-page");
    await expect(page.getByRole("heading")).toHaveCount(0);
  });
});

test("before the code is there, a signed-in reader sees the bot's heading where it stays, and never what is for visitors", async ({
  page,
}) => {
  const code = await holdCode(page);
  await signIn(page, await adminSession());
  await open(page, "/");
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await expect(login(page)).toBeHidden();
  await open(page, "/bot");
  const heading = page.getByRole("heading", { level: 1, name: "Signal bot" });
  const before = await heading.boundingBox();
  await open(page, "/login");
  await expect(page.getByRole("navigation", { name: "Main" })).toBeVisible();
  await expect(page.getByLabel("Username")).toBeHidden();
  code.release();
  await expect(page).toHaveURL(/\/dashboard$/);
  await expect(page.getByRole("button", { name: "Logout" })).toBeVisible();
  await open(page, "/bot");
  await expect(page.getByRole("button", { name: "Get Signal" })).toBeVisible();
  expect(await heading.boundingBox()).toEqual(before);
});

test("before the code is there, a visitor sees neither the bot's heading on the way to the login, nor what is for readers, and what they scroll to and fill in stays", async ({
  page,
}) => {
  const description = page.locator('meta[name="description"]');
  const code = await holdCode(page);
  await open(page, "/bot");
  await expect(login(page)).toBeVisible();
  await expect(page.getByRole("heading")).toBeHidden();
  const common = await description.getAttribute("content");
  await open(page, "/pricing");
  await expect(description).toHaveAttribute("content", /^Plans for AI trading signals/);
  // A font that arrives later moves the lines.
  await page.evaluate(() => document.fonts.ready);
  await page.evaluate(() => window.scrollTo(0, 200));
  code.release();
  await expect(page.getByRole("radio", { name: "Dark theme" })).toBeChecked();
  expect(await page.evaluate(() => window.scrollY)).toBe(200);
  // Going on leaves the screen's own description behind.
  await page.getByRole("banner").getByRole("link", { name: "AI Trading Bot" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("AI-Powered Trading Signals");
  await expect(description).toHaveAttribute("content", common ?? "");
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "BOT" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Login");

  const again = await holdCode(page);
  await open(page, "/login");
  await logIn(page);
  await expect(page).toHaveURL(/\/login$/);
  again.release();
  await expect(page).toHaveURL(/\/bot$/);
});
