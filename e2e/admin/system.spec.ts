import { benchSchema } from "@shared/contract/analyst-bench.ts";
import { expectAnswer } from "@shared/testing/call-api.ts";
import { expect } from "playwright/test";
import { newAdminSession } from "../support/api.ts";
import { apiUrl } from "../support/config.ts";
import { test } from "../support/test.ts";
import { openLive, signIn } from "../support/users.ts";

// The browser itself logs that it is refused in the end.
test.use({ expectsFailures: true });

const ARMS = ["Own rules", "Donchian 20", "Momentum 100", "Random"];

test("an administrator sees the health of the system and the bench of analysts, which visitors see too, and opens the page of the queue until they log out", async ({
  page,
}) => {
  await signIn(page, await newAdminSession());
  await openLive(page, "/admin/system");
  const health = page.getByRole("region", { name: "System health" });
  for (const text of ["All systems operational", "Demo data", "No live data providers in use."]) {
    await expect(health.getByText(text)).toBeVisible();
  }
  const bench = page.getByRole("region", { name: "Bench of analysts" });
  await expect(bench).toContainText("Spent today: $0.00 without a limit.");
  const arm = bench.getByRole("listitem").filter({ hasText: "Own rules" });
  await expect(arm).toContainText(/Waiting for its first candle|Running/);
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

  // A worker computes what visitors see every ten seconds.
  const arms = async () => (await expectAnswer(benchSchema, `${apiUrl}/bench`)).arms.length;
  await expect.poll(arms, { timeout: 30_000 }).toBe(ARMS.length);
  await page.goto("/performance");
  const table = page.getByRole("table", { name: "Arms of the bench" });
  for (const name of ARMS) await expect(table.getByRole("rowheader", { name })).toBeVisible();
});
