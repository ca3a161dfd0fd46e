import { expect, type Locator } from "playwright/test";
import { makeSignal, makeTrader } from "../support/api.ts";
import { keepSignal } from "../support/network.ts";
import { test } from "../support/test.ts";
import { signIn } from "../support/users.ts";

const NOW = new Date("2026-05-04T10:00:00.000Z");

/** Whether the small box with the time in UTC is shown. */
const tipOf = (time: Locator) =>
  time.evaluate((element) => getComputedStyle(element, "::after").display);

test.use({ timezoneId: "Europe/Berlin" });

test("a signal says until when it holds, counts down, and is expired then", async ({ page }) => {
  const trader = await makeTrader({ approved: true });
  const signal = await makeSignal(trader, { symbol: "BTC/USDT" });
  if (!signal.analysis) throw new Error("the signal has no analysis");
  const analysis = {
    ...signal.analysis,
    valid_until: "2026-05-04T12:00:10.000Z",
    delivery_delay_ms: 65_000,
    calibrated_confidence: 57.5,
  };
  await signIn(page, trader);
  await keepSignal(page, { ...signal, analysis }, NOW);
  await page.clock.setFixedTime(NOW);
  await page.goto("/bot");
  const card = page.locator("[data-signal]");
  await expect(card).toContainText("Valid until 4 May 2026, 14:00");
  await expect(card.getByRole("timer")).toHaveText("2 h 00 min left");
  await expect(card).toContainText("Calibrated: 57.5%");
  await expect(card).toContainText("Ready 1 min 05 s after candle close");
  const time = card.locator("time", { hasText: "4 May 2026, 14:00" });
  await expect(time).toHaveAttribute("data-utc", "4 May 2026, 12:00 UTC");
  expect(await tipOf(time)).toBe("none");
  await time.focus();
  await expect.poll(() => tipOf(time)).toBe("block");
  await page.clock.setFixedTime("2026-05-04T12:00:10.000Z");
  await expect(card).toContainText(/Expired\s*The entry was valid until 4 May 2026, 14:00/);
  await expect(card.getByRole("timer")).toHaveCount(0);
});
