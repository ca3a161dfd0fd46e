import { randomUUID } from "node:crypto";
import { expect } from "playwright/test";
import { ADMIN, logIn, test } from "./signed-in.ts";

test("a visitor who opens the bot logs in and lands on the bot", async ({ page }) => {
  await page.goto("/bot");
  await expect(page).toHaveURL(/\/login$/);
  await logIn(page);
  await expect(page).toHaveURL(/\/bot$/);
  const kept = await page.evaluate(() => ({ ...localStorage }));
  expect(kept).toMatchObject({ isApproved: "true", isAdmin: "true" });
  expect(Object.entries(kept).filter(([, value]) => value === kept.token)).toHaveLength(1);
});

test("logging out forgets the session in every tab and goes home", async ({ page, context }) => {
  await page.goto("/dashboard");
  await logIn(page);
  await expect(page).toHaveURL(/\/dashboard$/);
  const other = await context.newPage();
  await other.goto("/signal-history");
  await expect(other.getByRole("heading", { level: 1 })).toBeVisible();
  await page.getByRole("button", { name: "Logout" }).click();
  await expect(page).toHaveURL(/\/$/);
  await expect(other).toHaveURL(/\/login$/);
  expect(await page.evaluate(() => localStorage.getItem("token"))).toBeNull();
});

test.describe("refused", () => {
  test.use({ expectsFailures: true });

  test("a wrong password is answered in words", async ({ page }) => {
    await page.goto("/login");
    await logIn(page, { username: ADMIN.username, password: "not the password" });
    await expect(page.getByRole("alert")).toContainText("Wrong username or password.");
  });

  test("a taken user name is named with its code", async ({ page }) => {
    await page.goto("/register");
    await page.getByLabel("Username").fill(ADMIN.username);
    await page.getByLabel("Email").fill("somebody@example.com");
    await page.getByLabel("Password", { exact: true }).fill("secret-123");
    await page.getByRole("button", { name: "Register" }).click();
    await expect(page.getByRole("alert")).toContainText("auth/username-already-in-use");
  });
});

test("a new trader waits for approval and is kept out of the bot", async ({ page }) => {
  const username = `trader-${randomUUID().slice(0, 8)}`;
  await page.goto("/register");
  await page.getByLabel("Username").fill(username);
  await page.getByLabel("Email").fill(`${username}@example.com`);
  await page.getByLabel("Password", { exact: true }).fill("secret-123");
  await page.getByRole("button", { name: "Register" }).click();
  await expect(page.getByText(/verify/i)).toBeVisible();
  await expect(page).toHaveURL(/\/dashboard$/, { timeout: 8_000 });
  await expect(page.getByText(/approval pending/i)).toBeVisible();
  await page.goto("/bot");
  await expect(page).toHaveURL(/\/dashboard$/);
});
