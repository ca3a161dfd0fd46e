import { expect, type Page } from "playwright/test";
import { test } from "../support/test.ts";

const ground = (page: Page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
const themeColor = (page: Page) => page.locator('meta[name="theme-color"]').getAttribute("content");
const choose = (page: Page, name: string) => page.getByRole("radio", { name }).click();

const DARK = "rgb(10, 13, 18)";
const LIGHT = "rgb(244, 246, 249)";

test("the pages are dark until another theme is chosen: the device's, which is followed at once, or one that stays, from the first paint on", async ({
  page,
}) => {
  await page.emulateMedia({ colorScheme: "light" });
  await page.goto("/pricing");
  await expect(page.getByRole("radio", { name: "Dark theme" })).toBeChecked();
  expect(await ground(page)).toBe(DARK);
  await choose(page, "System theme");
  await expect.poll(() => ground(page)).toBe(LIGHT);
  await page.emulateMedia({ colorScheme: "dark" });
  await expect.poll(() => ground(page)).toBe(DARK);
  await choose(page, "Light theme");
  await expect.poll(() => ground(page)).toBe(LIGHT);
  expect(await themeColor(page)).toBe("#f4f6f9");
  await page.reload();
  await expect(page.getByRole("radio", { name: "Light theme" })).toBeChecked();
  expect(await ground(page)).toBe(LIGHT);
  // Without its application, the page is what is painted first.
  await page.route(/\/assets\/.*\.js$/, (route) =>
    route.fulfill({ contentType: "text/javascript", body: "" }),
  );
  await page.reload();
  expect(await ground(page)).toBe(LIGHT);
  expect(await themeColor(page)).toBe("#f4f6f9");
});

test("all tabs wear the same, also when it is chosen in the phone's menu", async ({
  page,
  context,
}) => {
  const phone = await context.newPage();
  await phone.setViewportSize({ width: 390, height: 844 });
  await page.goto("/privacy");
  await phone.goto("/privacy");
  await phone.getByRole("button", { name: "Open menu" }).click();
  await choose(phone, "Light theme");
  await expect.poll(() => ground(page)).toBe(LIGHT);
  await expect(page.getByRole("radio", { name: "Light theme" })).toBeChecked();
});
