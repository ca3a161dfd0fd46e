import { expect } from "playwright/test";
import { registerTrader, sendProof } from "./people.ts";
import { test } from "./test.ts";

test("a proof that is sent in one tab shows in the other", async ({ page, context }) => {
  await registerTrader(page);
  const other = await context.newPage();
  await other.goto("/dashboard");
  await expect(other.getByRole("button", { name: "Submit proof" })).toBeVisible();
  await sendProof(page, "Ann Sender");
  await expect(other.getByText("Proof under review")).toBeVisible();
  await expect(other.getByText("Ann Sender")).toBeVisible();
});
