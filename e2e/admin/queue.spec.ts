import { expect } from "playwright/test";
import { newAdminSession } from "../support/api.ts";
import { test } from "../support/test.ts";
import { openLive, signIn } from "../support/users.ts";

// The browser itself logs that it is refused in the end.
test.use({ expectsFailures: true });

test("the page of the queue is opened by an administrator from the health screen, until they log out", async ({
  page,
}) => {
  await signIn(page, await newAdminSession());
  await openLive(page, "/admin/system");
  const popup = page.waitForEvent("popup");
  await page.getByRole("button", { name: "Open the queue" }).click();
  const queue = await popup;
  await expect(queue).toHaveURL(/\/admin\/queue\/$/);
  await expect(queue.getByText("Live", { exact: true })).toBeVisible();
  const kind = queue.getByRole("combobox", { name: "Kind" });
  await expect(kind).toContainText(/All kinds \(\d+\)/);
  await expect(queue.getByText(/^All Jobs/)).toHaveCount(0);
  const job = queue.getByRole("row").filter({ hasText: "clean-up-files" });
  await expect(job).toHaveCount(1);
  // The product needs it: it can be paused after a question, and not deleted.
  await expect(job.getByRole("button", { name: /^Delete/ })).toHaveCount(0);
  await job.getByRole("button", { name: /^Pause/ }).click();
  const question = queue.getByRole("dialog");
  await expect(question).toContainText("The product needs this job.");
  await question.getByRole("button", { name: "Cancel" }).click();
  await job.getByRole("button", { name: /^Pause/ }).click();
  await question.getByRole("button", { name: "Pause" }).click();
  await expect(job).toContainText("Paused");
  await job.getByRole("button", { name: /^Resume/ }).click();
  await expect(job).not.toContainText("Paused");
  await kind.selectOption({ value: "clean-up-files" });
  await expect(queue.getByRole("row")).toHaveCount(2);
  await queue.setViewportSize({ width: 390, height: 844 });
  await expect(job.getByRole("button", { name: /^Pause/ })).toBeInViewport({ ratio: 1 });
  const link = queue.getByRole("link", { name: "Back to System" });
  await expect(link).toHaveAttribute("href", /\/admin\/system$/);
  const left = page.waitForResponse("**/logout");
  await page.getByRole("button", { name: "Logout" }).click();
  expect((await left).status()).toBe(204);
  await queue.reload();
  await expect(queue.getByText("Open it from the admin page.")).toBeVisible();
});
