import { randomUUID } from "node:crypto";
import { expect, type Page } from "playwright/test";
import { ADMIN, makeTrader, PASSWORD } from "../support/api.ts";
import { dropPosts, holdRequests, isPost } from "../support/network.ts";
import { test } from "../support/test.ts";
import { logIn, openAsAdmin, openLive } from "../support/users.ts";

async function register(page: Page, user: { username: string; email?: string; password?: string }) {
  await page.getByLabel("Username").fill(user.username);
  await page.getByLabel("Email").fill(user.email ?? `${user.username}@example.com`);
  await page.getByLabel("Password", { exact: true }).fill(user.password ?? PASSWORD);
  await page.getByRole("main").getByRole("button", { name: "Register" }).click();
}
const newName = () => `trader-${randomUUID().slice(0, 8)}`;

test("a visitor who opens the bot logs in and lands on the bot", async ({ page }) => {
  await page.goto("/bot");
  await expect(page).toHaveURL(/\/login$/);
  await logIn(page);
  await expect(page).toHaveURL(/\/bot$/);
  const kept = await page.evaluate(() => ({ ...localStorage }));
  expect(kept).toMatchObject({ isApproved: "true", isAdmin: "true" });
  expect(Object.entries(kept).filter(([, value]) => value === kept.token)).toHaveLength(1);
});

test("the way from login to registration and back, and to a forgotten password", async ({
  page,
}) => {
  await page.goto("/login");
  await page.getByRole("main").getByRole("link", { name: "Register" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Register" })).toBeVisible();
  await page.getByRole("main").getByRole("link", { name: "Login" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Login" })).toBeVisible();
  await expect(page.getByLabel("Email")).toHaveCount(0);
  await page.getByRole("link", { name: "Forgot Password" }).click();
  await expect(page).toHaveURL(/\/forgot-password$/);
});

test("fields that are missing or malformed are marked in words before anything is sent", async ({
  page,
}) => {
  const asked: string[] = [];
  page.on("request", (request) => {
    if (request.method() === "POST") asked.push(request.url());
  });
  await page.goto("/login");
  await page.getByRole("main").getByRole("button", { name: "Login" }).click();
  await expect(page.getByText("Enter your username.")).toBeVisible();
  await expect(page.getByText("Enter your password.")).toBeVisible();
  await page.goto("/register");
  await register(page, { username: "a b", email: "not an address", password: "short" });
  await expect(page.getByLabel("Username")).toHaveAttribute("aria-invalid", "true");
  await expect(page.getByText("Enter a valid email address.")).toBeVisible();
  await expect(page.getByText("New password must be at least 6 characters long.")).toBeVisible();
  expect(asked).toEqual([]);
});

test("while the answer is awaited, the button says so and asks no second time", async ({
  page,
}) => {
  await page.goto("/login");
  const held = await holdRequests(page, { url: /\/login$/, which: isPost });
  await logIn(page);
  await expect(page.getByRole("main").getByRole("button", { name: "Processing..." })).toBeVisible();
  await page.getByLabel("Username").press("Enter");
  held.release();
  await expect(page).toHaveURL(/\/dashboard$/);
  expect(held.count()).toBe(1);
});

test("logging out forgets the session in every tab and goes home", async ({ page, context }) => {
  await openAsAdmin(page, "/dashboard");
  const tabs = [await context.newPage(), await context.newPage()] as const;
  // Connected: browsers complain of a socket that is closed while it opens.
  await openLive(tabs[0], "/signal-history");
  await openLive(tabs[1], "/admin");
  for (const tab of tabs) await expect(tab.getByRole("heading", { level: 1 })).toBeVisible();
  await page.getByRole("button", { name: "Logout" }).click();
  await expect(page).toHaveURL(/\/$/);
  for (const tab of tabs) await expect(tab).toHaveURL(/\/login$/);
  const kept = await page.evaluate(() => ({ ...localStorage }));
  for (const key of ["token", "isApproved", "isAdmin"]) expect(kept).not.toHaveProperty(key);
});

test.describe("refused", () => {
  test.use({ expectsFailures: true });

  test("a wrong password is answered in words", async ({ page }) => {
    await page.goto("/login");
    await logIn(page, { username: ADMIN.username, password: "not the password" });
    await expect(page.getByRole("alert")).toContainText("Wrong username or password.");
  });

  test("a taken user name or address is named with its code", async ({ page }) => {
    const { username } = await makeTrader();
    await page.goto("/register");
    await register(page, { username: username.toUpperCase(), email: "somebody@example.com" });
    await expect(page.getByRole("alert")).toContainText("auth/username-already-in-use");
    await register(page, { username: newName(), email: `${username}@example.com` });
    await expect(page.getByRole("alert")).toContainText("auth/email-already-in-use");
  });

  test("a server that cannot be reached is said to be so", async ({ page }) => {
    await page.goto("/login");
    await dropPosts(page, "/login");
    await logIn(page);
    await expect(page.getByRole("alert")).toContainText("The server cannot be reached.");
  });

  test("a server out of order is quoted, and without words of its own named by its status", async ({
    page,
  }) => {
    const cors = { "Access-Control-Allow-Origin": "*" };
    const details = ["Out of order.", undefined];
    await page.route(/\/login$/, (route) => {
      if (route.request().method() !== "POST") return route.fallback();
      const detail = details.shift();
      const json = detail ? { detail, code: "internal", request_id: "r1" } : {};
      return route.fulfill({ status: 500, headers: cors, json });
    });
    await page.goto("/login");
    await logIn(page);
    await expect(page.getByRole("alert")).toHaveText("Out of order.");
    await logIn(page);
    await expect(page.getByRole("alert")).toHaveText("Server error: 500 Internal Server Error");
  });
});

test("a new trader is told what comes next, taken to the dashboard, and kept out of the bot", async ({
  page,
}) => {
  await page.clock.install();
  await page.goto("/register");
  await register(page, { username: newName() });
  await expect(page.getByText("Registration successful!")).toBeVisible();
  await expect(
    page.getByText(/Please verify your email and wait for admin approval\./),
  ).toBeVisible();
  await page.clock.pauseAt(await page.evaluate(() => Date.now() + 500));
  await page.clock.runFor(2_500);
  await expect(page).toHaveURL(/\/register$/);
  await page.clock.runFor(1_000);
  await expect(page).toHaveURL(/\/dashboard$/);
  await page.clock.resume();
  await expect(page.getByText("Approval Pending")).toBeVisible();
  await page.goto("/bot");
  await expect(page).toHaveURL(/\/dashboard$/);
});
