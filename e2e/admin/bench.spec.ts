import { benchSchema } from "@shared/contract/analyst-bench.ts";
import { expectAnswer } from "@shared/testing/call-api.ts";
import { expect } from "playwright/test";
import { apiUrl } from "../support/config.ts";
import { test } from "../support/test.ts";
import { confirmAction, openAsAdmin } from "../support/users.ts";

const ARMS = ["Own rules", "Donchian 20", "Momentum 100", "Random"];

test("an administrator makes an arm of the bench the analyst, and visitors see how the arms compare", async ({
  page,
  openElsewhere,
}) => {
  await openAsAdmin(page, "/admin/system");
  const bench = page.getByRole("region", { name: "Bench of analysts" });
  await expect(bench).toContainText("Spent today: $0.00 without a limit.");
  const arm = bench.getByRole("listitem").filter({ hasText: "Own rules" });
  await expect(arm).toContainText(/Waiting for its first candle|Running/);
  await confirmAction(page, arm.getByRole("button", { name: "Make this the analyst" }));
  await expect(arm.getByText("is the analyst", { exact: true })).toBeVisible();
  await confirmAction(page, arm.getByRole("button", { name: "Use that of the settings" }));
  await expect(arm.getByRole("button", { name: "Make this the analyst" })).toBeVisible();
  // A worker computes what visitors see every ten seconds.
  const arms = async () => (await expectAnswer(benchSchema, `${apiUrl}/bench`)).arms.length;
  await expect.poll(arms, { timeout: 30_000 }).toBe(ARMS.length);
  const visitor = await openElsewhere();
  await visitor.goto("/performance");
  const table = visitor.getByRole("table", { name: "Arms of the bench" });
  for (const name of ARMS) await expect(table.getByRole("rowheader", { name })).toBeVisible();
});
