import { expect, type Page } from "playwright/test";
import { dropPosts } from "../support/network.ts";
import { test } from "../support/test.ts";
import { logIn, mailedLink, registerTrader } from "../support/users.ts";

interface PasswordForm {
  current: string;
  next: string;
  confirmation?: string;
}
async function changePassword(page: Page, { current, next, confirmation = next }: PasswordForm) {
  await page.getByLabel("Current password").fill(current);
  await page.getByLabel("New password", { exact: true }).fill(next);
  await page.getByLabel("Confirm new password").fill(confirmation);
  await page.getByRole("button", { name: "Change password" }).click();
}

test("the dashboard leads to the user panel, where the passwords are checked in words", async ({
  page,
}) => {
  await registerTrader(page);
  await page.getByRole("link", { name: "Account settings" }).click();
  await expect(page).toHaveURL(/\/user-panel$/);
  await changePassword(page, { current: "secret-123", next: "abcdef", confirmation: "abcdeg" });
  await expect(page.getByText("New passwords do not match.")).toBeVisible();
  await changePassword(page, { current: "secret-123", next: "abc" });
  await expect(page.getByText("New password must be at least 6 characters long.")).toBeVisible();
});

test.describe("with requests that are refused", () => {
  test.use({ expectsFailures: true });

  test("a wrong current password changes nothing; an unreachable server is said to be so", async ({
    page,
  }) => {
    await registerTrader(page);
    await page.goto("/user-panel");
    const failed = "Failed to change password. Please check your current password.";
    await changePassword(page, { current: "not this", next: "another-456" });
    await expect(page.getByRole("alert")).toHaveText(failed);
    await dropPosts(page, "/change-password");
    await changePassword(page, { current: "secret-123", next: "another-456" });
    await expect(page.getByRole("alert")).toContainText(failed);
    await expect(page.getByRole("alert")).toContainText("The server cannot be reached.");
  });

  test("a changed password ends the other sessions, keeps this one, and is the next login's", async ({
    page,
    openElsewhere,
  }) => {
    const username = await registerTrader(page);
    const elsewhere = await openElsewhere();
    await elsewhere.goto("/dashboard");
    await logIn(elsewhere, { username, password: "secret-123" });
    await expect(elsewhere.getByText("Approval Pending")).toBeVisible();
    await page.goto("/user-panel");
    await changePassword(page, { current: "secret-123", next: "another-456" });
    await expect(page.getByText("Password changed")).toBeVisible();
    await expect(page.getByLabel("Current password")).toHaveValue("");
    await expect(elsewhere).toHaveURL(/\/login$/);
    await expect(elsewhere.getByText(/Your password was changed/)).toBeVisible();
    await page.reload();
    await expect(page.getByRole("heading", { name: "User Panel" })).toBeVisible();
    await logIn(elsewhere, { username, password: "another-456" });
    await expect(elsewhere).toHaveURL(/\/dashboard$/);
  });
});

test("a new verification link is sent, and opening it anywhere shows here at once", async ({
  page,
  openElsewhere,
}) => {
  const username = await registerTrader(page);
  const email = `${username}@example.com`;
  await page.goto("/user-panel");
  await expect(page.getByText("Not verified yet")).toBeVisible();
  await page.getByRole("button", { name: "Send a new link" }).click();
  await expect(page.getByText(`A new verification link has been sent to ${email}.`)).toBeVisible();
  const link = await mailedLink(email, { path: "/verify-email", count: 2 });
  const elsewhere = await openElsewhere();
  await elsewhere.goto(link);
  await expect(elsewhere.getByRole("heading", { name: "Email verified" })).toBeVisible();
  await expect(page.getByText("Verified", { exact: true })).toBeVisible();
});
