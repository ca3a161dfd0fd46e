import { randomUUID } from "node:crypto";
import { expect, type Page } from "playwright/test";
import { makeTrader } from "../support/api.ts";
import { dropPosts } from "../support/network.ts";
import { test } from "../support/test.ts";
import { logIn, mailedLink, registerTrader } from "../support/users.ts";

const sentTo = (email: string) =>
  `If an account with ${email} exists, a password reset link has been sent. Please check your inbox and spam folder.`;

async function askForLink(page: Page, email: string) {
  await page.goto("/login");
  await page.getByRole("link", { name: "Forgot Password" }).click();
  await page.getByLabel("Email").fill(email);
  await page.getByRole("button", { name: "Send reset link" }).click();
}
async function setPassword(page: Page, password: string, confirmation = password) {
  await page.getByLabel("New password", { exact: true }).fill(password);
  await page.getByLabel("Confirm new password").fill(confirmation);
  await page.getByRole("button", { name: "Set new password" }).click();
}

test("a link is said to be sent, to known and unknown addresses alike", async ({ page }) => {
  for (const email of ["admin@example.com", `nobody-${randomUUID()}@example.com`]) {
    await askForLink(page, email);
    await expect(page.getByText(sentTo(email))).toBeVisible();
  }
});

test("an address that is none is marked before anything is sent", async ({ page }) => {
  await askForLink(page, "not an address");
  await expect(page.getByText("Enter a valid email address.")).toBeVisible();
  await expect(page.getByLabel("Email")).toHaveAttribute("aria-invalid", "true");
});

test("the two passwords are checked in words before anything is sent", async ({ page }) => {
  await page.goto("/reset-password?token=any");
  await setPassword(page, "short", "other");
  await expect(page.getByText("New password must be at least 6 characters long.")).toBeVisible();
  await expect(page.getByText("New passwords do not match.")).toBeVisible();
});

test("a link without its token says so and leads to a new one", async ({ page }) => {
  await page.goto("/reset-password");
  await expect(page.getByRole("heading", { name: "This link is incomplete" })).toBeVisible();
  await page.getByRole("link", { name: "Request a new link" }).click();
  await expect(page).toHaveURL(/\/forgot-password$/);
});

test.describe("with requests that fail", () => {
  test.use({ expectsFailures: true });

  test("the mailed link sets a new password once, and ends the sessions there are", async ({
    page,
    openElsewhere,
  }) => {
    const elsewhere = await openElsewhere();
    const username = await registerTrader(elsewhere);
    const email = `${username}@example.com`;
    await askForLink(page, email);
    await expect(page.getByText(sentTo(email))).toBeVisible();
    const link = await mailedLink(email, { path: "/reset-password" });
    await page.goto(link);
    await setPassword(page, "another-456");
    await expect(page.getByRole("heading", { name: "Password changed" })).toBeVisible();
    await expect(elsewhere).toHaveURL(/\/login$/);

    await page.goto(link);
    await setPassword(page, "third-789");
    await expect(page.getByRole("heading", { name: "This link does not work" })).toBeVisible();
    await page.goto("/login");
    await logIn(page, { username, password: "another-456" });
    await expect(page).toHaveURL(/\/dashboard$/);
  });

  test("a request that fails is answered by 'Error: ' and the reason", async ({ page }) => {
    await dropPosts(page, "/forgot-password");
    await askForLink(page, "admin@example.com");
    await expect(page.getByRole("alert")).toHaveText(/^Error: The server cannot be reached/);
  });

  test("a verification link is used by opening it, once; later it says so and shows a way on", async ({
    page,
  }) => {
    const { username } = await makeTrader();
    const link = await mailedLink(`${username}@example.com`, { path: "/verify-email" });
    let asked = 0;
    page.on("request", (request) => {
      if (request.method() === "POST" && request.url().endsWith("/verify-email")) asked += 1;
    });
    await page.goto(link);
    await expect(page.getByRole("heading", { name: "Email verified" })).toBeVisible();
    expect(asked).toBe(1);
    await page.reload();
    await expect(page.getByRole("heading", { name: "This link does not work" })).toBeVisible();
    await page.getByRole("link", { name: "Log in for a new link" }).click();
    await logIn(page, { username, password: "secret-123" });
    await expect(page).toHaveURL(/\/user-panel$/);
    await expect(page.getByText("Verified", { exact: true })).toBeVisible();
  });

  test("an address is confirmed by trying again after an outage", async ({ page }) => {
    const { username } = await makeTrader();
    const link = await mailedLink(`${username}@example.com`, { path: "/verify-email" });
    const mend = await dropPosts(page, "/verify-email");
    await page.goto(link);
    await expect(page.getByRole("alert")).toContainText("The server cannot be reached.");
    await mend();
    await page.getByRole("button", { name: "Try again" }).click();
    await expect(page.getByRole("heading", { name: "Email verified" })).toBeVisible();
  });
});
