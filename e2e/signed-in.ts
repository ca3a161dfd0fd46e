import { test as base, expect, type Page } from "playwright/test";

export const ADMIN = { username: "admin", password: "browser-test-admin" } as const;

/** Fills in the login form that the page shows, and sends it. */
export async function logIn(page: Page, user: { username: string; password: string } = ADMIN) {
  await page.getByLabel("Username").fill(user.username);
  await page.getByLabel("Password", { exact: true }).fill(user.password);
  await page.getByRole("main").getByRole("button", { name: "Login" }).click();
}

/** What the browser itself says of the market widgets' scripts, which these tests keep out. */
const outside = /^https:\/\//;

/**
 * A test whose page may reach nothing but this machine, and that fails when the page complains in the console.
 * A test that provokes failures, which the browser itself logs, says so with `expectsFailures`.
 */
export const test = base.extend<{ expectsFailures: boolean }>({
  expectsFailures: [false, { option: true }],
  page: async ({ page, context, expectsFailures }, use) => {
    const complaints: string[] = [];
    page.on("console", (message) => {
      const isOurs = !outside.test(message.location().url);
      if (isOurs && ["error", "warning"].includes(message.type())) complaints.push(message.text());
    });
    page.on("pageerror", (error) => complaints.push(error.message));
    await context.route(
      (url) => url.hostname !== "localhost",
      (route) => route.abort(),
    );
    await use(page);
    if (!expectsFailures) expect(complaints).toEqual([]);
  },
});
