import { expect } from "playwright/test";
import { actAsAdmin, makeSignal, makeTrader } from "../support/api.ts";
import { test } from "../support/test.ts";
import { openLive, signIn } from "../support/users.ts";

test("what a toast said is read again in the notification center, on whichever device, and each fact stands once on the bot page", async ({
  page,
  openElsewhere,
}) => {
  const trader = await makeTrader({ approved: true });
  await signIn(page, trader);
  await openLive(page, "/dashboard");
  const bell = page.getByRole("button", { name: /^Notifications/ });
  await expect(bell).toHaveAccessibleName("Notifications");
  // No other test asks for this market: its trade is new, so no fill is published while this test runs.
  const signal = await makeSignal(trader, { symbol: "LTC/USDT" });
  await expect(bell).toHaveAccessibleName("Notifications, 1 unread");
  await actAsAdmin(`/admin/grant-image-credits/${trader.username}`, { credits: "3" });
  await expect(bell).toHaveAccessibleName("Notifications, 2 unread");
  const device = await openElsewhere();
  await signIn(device, trader);
  await device.goto("/user-panel");
  const otherBell = device.getByRole("button", { name: /^Notifications/ });
  await expect(otherBell).toHaveAccessibleName("Notifications, 2 unread");
  await bell.focus();
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "Notifications" });
  await expect(dialog.getByRole("listitem").first()).toContainText("You have 3 image credits.");
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
  await expect(bell).toBeFocused();
  await expect(otherBell).toHaveAccessibleName("Notifications");
  await bell.click();
  await dialog
    .getByRole("link", { name: /LTC\/USDT/ })
    .first()
    .click();
  await expect(page).toHaveURL(new RegExp(`/signals/${signal.signal_id}$`));
  await page
    .getByRole("navigation", { name: "Main" })
    .getByRole("link", { name: "BOT", exact: true })
    .click();
  await page.getByRole("combobox", { name: "Symbol" }).fill("LTC/USDT");
  await page.keyboard.press("Tab");
  await page.getByRole("button", { name: "Get Signal" }).click();
  await expect(page.locator("[data-signal]").getByRole("progressbar")).toBeVisible();
  for (const text of ["Demo mode", /recorded candles/, /not financial advice/]) {
    await expect(page.getByText(text)).toHaveCount(1);
  }
  await expect(bell).toHaveAccessibleName("Notifications");
});
