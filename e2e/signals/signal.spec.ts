import { expect, type Page } from "playwright/test";
import { ADMIN, makeTrader } from "../support/api.ts";
import { holdRequests, installSocketSwitch, isPost } from "../support/network.ts";
import { test } from "../support/test.ts";
import { openAsAdmin, signIn } from "../support/users.ts";

const openBot = async (page: Page) => {
  await openAsAdmin(page, "/bot");
  await expect(page.getByRole("button", { name: "Get Signal" })).toBeEnabled();
};
const askFor = async (page: Page, symbol: string) => {
  await page.getByRole("combobox", { name: "Symbol" }).fill(symbol);
  await page.keyboard.press("Tab");
  await page.getByRole("button", { name: "Get Signal" }).click();
};
const openHistory = async (page: Page) => {
  await page.goto("/signal-history");
  const loaded = page.getByRole("listitem").or(page.getByText("No signals generated yet."));
  await expect(loaded.first()).toBeVisible();
};
const resultFor = (page: Page, symbol: string) =>
  page.locator("[data-signal]").filter({ hasText: symbol });

test("the bot says from the start that it runs on demo data and rules", async ({ page }) => {
  await openBot(page);
  await expect(page.getByText(/^Demo data:/)).toBeVisible();
  await expect(page.getByText(/^Rule-based analysis:/)).toBeVisible();
});

test("a signal arrives with its confidence, reasons, labels and chart", async ({ page }) => {
  await openBot(page);
  await askFor(page, "BTC/USDT");
  const result = resultFor(page, "BTC/USDT");
  await expect(result).toHaveAttribute("data-signal", /^(buy|sell|wait)$/);
  const confidence = result.getByRole("progressbar");
  await expect(confidence).toHaveAttribute("aria-valuenow", /^\d+/);
  await expect(confidence).toHaveAttribute("data-level", /^(high|medium|low)$/);
  await expect(confidence).toContainText("stated confidence");
  await expect(result.getByText(/^Demo data:/)).toBeVisible();
  await expect(result.getByText(/^Rule-based analysis:/)).toBeVisible();
  await expect(result.getByText("Key evidence")).toBeVisible();
  await expect(result.locator("canvas").first()).toBeVisible();
});

test("a signal survives a reload", async ({ page }) => {
  await openBot(page);
  await askFor(page, "XRP/USDT");
  await expect(resultFor(page, "XRP/USDT")).toBeVisible();
  await page.reload();
  await expect(resultFor(page, "XRP/USDT")).toBeVisible();
});

test("while a signal is made, the button waits and the card says how far it is", async ({
  page,
}) => {
  await openBot(page);
  const held = await holdRequests(page, { url: /\/get-signal$/, which: isPost });
  await askFor(page, "ADA/USDT");
  await expect(page.getByRole("button", { name: "Analyzing..." })).toBeDisabled();
  await expect(page.getByText("Sending the request")).toBeVisible();
  held.release();
  await expect(resultFor(page, "ADA/USDT")).toBeVisible();
  await expect(page.getByRole("button", { name: "Get Signal" })).toBeEnabled();
});

test("symbols are suggested by any part of their name, in small letters too", async ({ page }) => {
  await openBot(page);
  const symbol = page.getByRole("combobox", { name: "Symbol" });
  await symbol.click();
  await expect(page.getByRole("option")).toHaveCount(19);
  await symbol.fill("usd/");
  await expect(page.getByRole("option")).toHaveText(["USD/JPY"]);
  await symbol.fill("xa");
  await expect(page.getByRole("option")).toHaveText(["XAU/USD", "XAG/USD"]);
  await page.getByRole("option", { name: "XAG/USD" }).click();
  await expect(symbol).toHaveValue("XAG/USD");
});

test("numbers that are left empty or out of range become defaults or are refused in words", async ({
  page,
}) => {
  const trader = await makeTrader({ approved: true });
  await signIn(page, trader);
  await page.goto("/bot");
  const fields = { "Amount (USD)": "100", "Risk (%)": "1", Leverage: "1" };
  for (const [name, standard] of Object.entries(fields)) {
    const field = page.getByLabel(name, { exact: true });
    await expect(field).toHaveValue(standard);
    await field.fill("");
    await field.blur();
    await expect(field).toHaveValue(standard);
  }
  await expect(page.getByRole("radio", { name: "1h", exact: true })).toBeChecked();
  await page.getByLabel("Leverage", { exact: true }).fill("0");
  await page.getByRole("button", { name: "Get Signal" }).click();
  await expect(page.getByText("Enter a leverage from 1 to 125.")).toBeVisible();
  await expect(page.locator("[data-signal]")).toHaveCount(0);
});

test("a signal asked for on one device arrives on another one, without a reload", async ({
  page,
  openElsewhere,
}) => {
  const trader = await makeTrader({ approved: true });
  const phone = await openElsewhere();
  await signIn(phone, trader);
  await phone.goto("/signal-history");
  await expect(phone.getByText("No signals generated yet.")).toBeVisible();
  await signIn(page, trader);
  await page.goto("/bot");
  await askFor(page, "BTC/USDT");
  await expect(resultFor(phone, "BTC/USDT")).toHaveCount(1);
  await expect(resultFor(phone, "BTC/USDT").getByText(/\d+% stated confidence/)).toBeVisible();
});

test("a signal shows up in a second tab's history without a reload", async ({ page, context }) => {
  await openBot(page);
  const history = await context.newPage();
  await openHistory(history);
  const cards = resultFor(history, "LTC/USDT");
  const before = await cards.count();
  await askFor(page, "LTC/USDT");
  await expect(cards).toHaveCount(before + 1);
});

test.describe("when something fails", () => {
  test.use({ expectsFailures: true });

  test("a signal arrives over REST when the socket cannot connect", async ({ page, context }) => {
    await context.route(/socket\.io/, (route) => route.abort());
    await context.routeWebSocket(/socket\.io/, (socket) => socket.close());
    await openBot(page);
    await askFor(page, "ETH/USDT");
    await expect(resultFor(page, "ETH/USDT")).toBeVisible({ timeout: 20_000 });
    await expect(page.getByText(/reconnecting/i)).toBeVisible();
  });

  test("an unknown symbol is refused with the server's reason", async ({ page }) => {
    await openBot(page);
    const answer = page.waitForResponse(/\/get-signal$/);
    await askFor(page, "NOPE/NOPE");
    expect((await answer).status()).toBe(422);
    await expect(page.getByText("Unknown symbol NOPE/NOPE.")).toBeVisible();
  });

  test("an analysis that fails for good is a WAIT with confidence 0 and the reason", async ({
    page,
  }) => {
    const details = ["Out of order.", ""];
    await page.route(/\/get-signal$/, (route) => {
      if (route.request().method() !== "POST") return route.fallback();
      const json = { detail: details.shift(), code: "internal", request_id: "r1" };
      return route.fulfill({ status: 500, headers: { "Access-Control-Allow-Origin": "*" }, json });
    });
    await openBot(page);
    for (const reason of ["Out of order.", "Unknown error"]) {
      await askFor(page, "BTC/USDT");
      const result = page.locator('[data-signal="wait"]').filter({ hasText: reason });
      await expect(result.getByText("AI or data fetch failed")).toBeVisible();
      const confidence = result.getByRole("progressbar");
      await expect(confidence).toHaveAttribute("aria-valuenow", "0");
      await expect(confidence).toHaveAttribute("data-level", "low");
    }
  });

  test("a server that takes too long is said to", async ({ page }) => {
    await page.route(/\/get-signal$/, (route) =>
      route.request().method() === "POST"
        ? route.fulfill({ status: 504, headers: { "Access-Control-Allow-Origin": "*" }, body: "" })
        : route.fallback(),
    );
    await openBot(page);
    await askFor(page, "BTC/USDT");
    await expect(
      page.getByText("Server took too long to respond. Please try again."),
    ).toBeVisible();
  });

  test("a tab that lost its socket catches up on what it missed", async ({
    page,
    openElsewhere,
  }) => {
    const sockets = await installSocketSwitch(page.context());
    await openBot(page);
    await openHistory(page);
    const cards = resultFor(page, "SOL/USDT");
    const before = await cards.count();
    await sockets.cut();
    await expect(page.getByText(/reconnecting/i)).toBeVisible();

    const elsewhere = await openElsewhere();
    await openBot(elsewhere);
    await askFor(elsewhere, "SOL/USDT");
    await expect(resultFor(elsewhere, "SOL/USDT")).toBeVisible();

    await sockets.restore();
    await expect(cards).toHaveCount(before + 1);
    await expect(page.getByText(/reconnecting/i)).toBeHidden();
  });
});

test("the bot fits a small screen", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await openBot(page);
  await askFor(page, "BTC/USDT");
  await expect(resultFor(page, "BTC/USDT")).toBeVisible();
  const overflow = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  expect(overflow).toBe(0);
});

test("from login to a finished signal by keyboard alone", async ({ page }) => {
  await page.goto("/bot");
  await page.getByLabel("Username").focus();
  await page.keyboard.type(ADMIN.username);
  await page.keyboard.press("Tab");
  await page.keyboard.type(ADMIN.password);
  await page.keyboard.press("Enter");
  await expect(page.getByRole("button", { name: "Get Signal" })).toBeEnabled();
  await page.getByRole("combobox", { name: "Symbol" }).focus();
  await page.keyboard.press("Control+A");
  await page.keyboard.type("doge");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("combobox", { name: "Symbol" })).toHaveValue("DOGE/USDT");
  await page.keyboard.press("Enter");
  await expect(resultFor(page, "DOGE/USDT")).toBeVisible();
});
