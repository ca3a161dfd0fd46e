import { expect } from "playwright/test";
import { test } from "../support/test.ts";
import { confirmAction, openAsAdmin } from "../support/users.ts";

test("visitors see the arms of the bench, and an administrator makes one the analyst", async ({
  page,
  openElsewhere,
}) => {
  const visitor = await openElsewhere();
  await visitor.goto("/performance#bench");
  const arms = visitor.getByRole("table", { name: "Arms of the bench" });
  for (const name of ["Own rules", "Donchian 20", "Momentum 100", "Random"]) {
    await expect(arms.getByRole("rowheader", { name })).toBeVisible();
  }
  await openAsAdmin(page, "/admin/system");
  const bench = page.getByRole("region", { name: "Bench of analysts" });
  await expect(bench).toContainText("Spent today: $0.00 without a limit.");
  const arm = bench.getByRole("listitem").filter({ hasText: "Own rules" });
  await expect(arm).toContainText(/Waiting for its first candle|Running/);
  await confirmAction(page, arm.getByRole("button", { name: "Make this the analyst" }));
  await expect(arm).toContainText("is the analyst");
  await confirmAction(page, arm.getByRole("button", { name: "Use that of the settings" }));
  await expect(arm).not.toContainText("is the analyst");
});
