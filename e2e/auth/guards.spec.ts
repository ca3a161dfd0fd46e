import type { Session } from "@shared/contract/account.ts";
import { expect, type Page } from "playwright/test";
import { adminSession, makeTrader } from "../support/api.ts";
import { test } from "../support/test.ts";
import { logIn, openAsAdmin, signIn } from "../support/users.ts";

const PUBLIC = [
  "/",
  "/login",
  "/register",
  "/pricing",
  "/payment",
  "/contact",
  "/privacy",
  "/terms",
  "/forgot-password",
  "/reset-password",
  "/verify-email",
];
const GUARDED = ["/dashboard", "/user-panel", "/bot", "/signal-history", "/admin"];

interface Role {
  name: string;
  session(): Promise<Session>;
  /** Guarded screens that open; from the others this user is sent to his dashboard. */
  open: readonly string[];
}
const roles: readonly Role[] = [
  {
    name: "a trader who waits for approval",
    session: () => makeTrader(),
    open: ["/dashboard", "/user-panel"],
  },
  {
    name: "an approved trader",
    session: () => makeTrader({ approved: true }),
    open: ["/dashboard", "/user-panel", "/bot", "/signal-history"],
  },
  { name: "an administrator", session: adminSession, open: GUARDED },
];

/** Where `page` ends up when it is sent to `path`, once a screen is shown. */
async function whereTo(page: Page, path: string): Promise<string> {
  await page.goto(path);
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  return new URL(page.url()).pathname;
}

test("a visitor sees every public screen and is sent to the login by all others", async ({
  page,
}) => {
  for (const path of PUBLIC) expect(await whereTo(page, path)).toBe(path);
  for (const path of GUARDED) expect(await whereTo(page, path)).toBe("/login");
});

for (const { name, session, open } of roles) {
  test(`${name} sees what is his, and his dashboard in place of all else`, async ({ page }) => {
    await signIn(page, await session());
    for (const path of GUARDED) {
      expect(await whereTo(page, path)).toBe(open.includes(path) ? path : "/dashboard");
    }
    const adminLink = page.getByRole("link", { name: "Admin", exact: true });
    await expect(adminLink).toHaveCount(open.includes("/admin") ? 1 : 0);
    for (const path of ["/login", "/register"])
      expect(await whereTo(page, path)).toBe("/dashboard");
  });
}

test.describe("with a role that only the browser claims", () => {
  test.use({ expectsFailures: true });

  test("the server's word corrects it, and nobody else's data is shown", async ({ page }) => {
    await signIn(page, { ...(await makeTrader()), approved: true, role: "admin" });
    await page.goto("/admin");
    await expect(page).toHaveURL(/\/dashboard$/);
    await expect(page.getByText("Approval Pending")).toBeVisible();
    const stored = await page.evaluate(() => ({ ...localStorage }));
    expect(stored).toMatchObject({ isApproved: "false", isAdmin: "false" });
  });

  test("a token that the server does not know ends the session in words", async ({ page }) => {
    await signIn(page, { ...(await makeTrader()), token: "made.up.token" });
    await page.goto("/dashboard");
    await expect(page).toHaveURL(/\/login$/);
    await expect(page.getByText("Your session has expired. Please log in again.")).toBeVisible();
  });
});

test("the navigation has the same links for all, and one more for administrators", async ({
  page,
}) => {
  const links = page.getByRole("navigation", { name: "Main" }).getByRole("link");
  const common = ["Home", "BOT", "History", "Dashboard", "Pricing", "Contact"];
  await page.goto("/pricing");
  await expect(links).toHaveText(common);
  await expect(page.getByRole("banner").getByRole("link", { name: "Login" })).toBeVisible();
  await openAsAdmin(page, "/pricing");
  await expect(links.filter({ hasText: /\w/ })).toHaveText([...common, /^Admin/]);
  await expect(page.getByRole("banner").getByRole("button", { name: "Logout" })).toBeVisible();
});

test("'Get Started' leads a visitor over the login to his dashboard", async ({ page }) => {
  await page.goto("/");
  const start = page.getByRole("link", { name: "Get Started" });
  await expect(start).toHaveAttribute("href", "/dashboard");
  await start.click();
  await expect(page).toHaveURL(/\/login$/);
  await logIn(page);
  await expect(page).toHaveURL(/\/dashboard$/);
});
