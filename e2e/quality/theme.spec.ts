import { expect, type Page } from "playwright/test";
import { PHONE } from "../support/screen-checks.ts";
import { test } from "../support/test.ts";

const ground = (page: Page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
const themeColor = (page: Page) => page.locator('meta[name="theme-color"]').getAttribute("content");
const choose = (page: Page, name: string) => page.getByRole("radio", { name }).click();

const DARK = "rgb(10, 13, 18)";
const LIGHT = "rgb(244, 246, 249)";

test("all tabs are dark until another theme is chosen: the device's, which is followed at once, or one that stays, from the first paint on", async ({
  page,
  context,
}) => {
  await page.emulateMedia({ colorScheme: "light" });
  await page.goto("/pricing");
  await expect(page.getByRole("radio", { name: "Dark theme" })).toBeChecked();
  expect(await ground(page)).toBe(DARK);
  await choose(page, "System theme");
  await expect.poll(() => ground(page)).toBe(LIGHT);
  await page.emulateMedia({ colorScheme: "dark" });
  await expect.poll(() => ground(page)).toBe(DARK);
  const phone = await context.newPage();
  await phone.setViewportSize(PHONE);
  await phone.goto("/pricing");
  await phone.getByRole("button", { name: "Open menu" }).click();
  await expect(phone.getByRole("radio", { name: "System theme" })).toBeChecked();
  await choose(phone, "Light theme");
  await expect.poll(() => ground(page)).toBe(LIGHT);
  await expect(page.getByRole("radio", { name: "Light theme" })).toBeChecked();
  expect(await themeColor(page)).toBe("#f4f6f9");
  // Without its application, the page is what is painted first.
  await page.route(/\/assets\/.*\.js$/, (route) =>
    route.fulfill({ contentType: "text/javascript", body: "" }),
  );
  await page.reload();
  expect(await ground(page)).toBe(LIGHT);
  expect(await themeColor(page)).toBe("#f4f6f9");
});
