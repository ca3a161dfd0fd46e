import { expect, test } from "playwright/test";

test("pages open under the content security policy of the web host", async ({ page }) => {
  const refused: string[] = [];
  page.on("console", (message) => {
    if (message.text().includes("Content Security Policy")) refused.push(message.text());
  });
  await page.route(
    (url) => url.hostname !== "localhost",
    (route) => route.abort(),
  );
  for (const path of ["/", "/pricing", "/login"]) {
    await page.goto(path);
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  }
  expect(refused).toEqual([]);
});

test("an address that no screen has still shows the application", async ({ page }) => {
  await page.goto("/no-such-page");
  await expect(page.getByRole("navigation").first()).toBeVisible();
});
