import { expect } from "playwright/test";
import { makeSignal, makeTrader } from "./api.ts";
import { confirmAction, openAdmin, signIn } from "./people.ts";
import { test } from "./test.ts";

test("the histories of all users are cleared after a question, and the trail tells of it", async ({
  page,
  openElsewhere,
}) => {
  const trader = await makeTrader({ approved: true });
  await makeSignal(trader, { symbol: "BTC/USDT" });
  const history = await openElsewhere();
  await signIn(history, trader);
  await history.goto("/signal-history");
  await expect(history.locator("[data-signal]")).toHaveCount(1);
  await openAdmin(page);
  await confirmAction(page, page.getByRole("button", { name: "Clear all history" }));
  await expect(page.getByText(/^Deleted \d+ signals? of \d+ users?\.$/)).toBeVisible();
  await expect(
    page.getByText(new RegExp(`deleted 1 signal of ${trader.username}`)).first(),
  ).toBeVisible();
  await expect(history.getByText("No signals generated yet.")).toBeVisible();
});
