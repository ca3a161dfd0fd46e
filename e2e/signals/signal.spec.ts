import { expect, type Locator, type Page } from "playwright/test";
import { ADMIN, makeSignal, makeTrader } from "../support/api.ts";
import { installSocketSwitch } from "../support/network.ts";
import { DESKTOP, LAPTOP, PHONE } from "../support/screen-checks.ts";
import { test } from "../support/test.ts";
import { signIn } from "../support/users.ts";

async function requestSignal(page: Page, symbol: string): Promise<void> {
  await page.getByRole("combobox", { name: "Symbol" }).fill(symbol);
  await page.keyboard.press("Tab");
  await page.getByRole("button", { name: "Get Signal" }).click();
}

/** Opens the empty history of a new trader. */
async function openHistory(page: Page): Promise<void> {
  await page.goto("/signal-history");
  await expect(page.getByText("No signals generated yet.")).toBeVisible();
}

/** Whether the small box with the time in UTC is shown. */
const tipOf = (time: Locator) =>
  time.evaluate((element) => getComputedStyle(element, "::after").display);

const resultFor = (page: Page, symbol: string) =>
  page.locator("[data-signal]").filter({ hasText: symbol });

// Longest first: it would run alone at the end of the whole run.
test.describe("with requests that are refused or fail", () => {
  test.use({ expectsFailures: true });

  test("a tab that lost its socket catches up on what it missed, and a signal arrives over REST while it cannot connect", async ({
    page,
    context,
  }) => {
    const trader = await makeTrader({ approved: true });
    const sockets = await installSocketSwitch(context);
    await signIn(page, trader);
    await openHistory(page);
    await sockets.cut();
    const notice = page.getByText(/reconnecting/i);
    await expect(notice).toBeVisible();
    // As another device would.
    await makeSignal(trader, { symbol: "SOL/USDT" });
    await sockets.restore();
    await expect(resultFor(page, "SOL/USDT")).toHaveCount(1);
    await expect(notice).toBeHidden();

    await context.route(/socket\.io/, (route) => route.abort());
    sockets.close();
    await expect(notice).toBeVisible();
    await page
      .getByRole("navigation", { name: "Main" })
      .getByRole("link", { name: "BOT", exact: true })
      .click();
    await requestSignal(page, "ETH/USDT");
    await expect(resultFor(page, "ETH/USDT")).toBeVisible({ timeout: 20_000 });
    await expect(notice).toBeVisible();
  });

  test("from a login at the second try to a finished signal by keyboard alone", async ({
    page,
  }) => {
    await page.goto("/bot");
    await page.getByLabel("Username").focus();
    await page.keyboard.type(ADMIN.username);
    await page.keyboard.press("Tab");
    await page.keyboard.type("not the password");
    await page.keyboard.press("Enter");
    await expect(page.getByRole("alert")).toContainText("Wrong username or password.");
    await page.getByLabel("Password", { exact: true }).focus();
    await page.keyboard.press("Control+A");
    await page.keyboard.type(ADMIN.password);
    await page.keyboard.press("Enter");
    await expect(page).toHaveURL(/\/bot$/);
    await expect(page.getByRole("button", { name: "Get Signal" })).toBeEnabled();
    const kept = await page.evaluate(() => ({ ...localStorage }));
    expect(kept).toMatchObject({ isApproved: "true", isAdmin: "true" });
    expect(Object.entries(kept).filter(([, value]) => value === kept.token)).toHaveLength(1);
    await page.getByRole("combobox", { name: "Symbol" }).focus();
    await page.keyboard.press("Control+A");
    await page.keyboard.type("doge");
    await expect(page.getByRole("option", { name: /DOGE/ })).toBeVisible();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await expect(page.getByRole("combobox", { name: "Symbol" })).toHaveValue("DOGE/USDT");
    await page.keyboard.press("Enter");
    await expect(resultFor(page, "DOGE/USDT")).toBeVisible();
  });
});

test("a signal arrives with its confidence, reasons, labels and chart, and has a page of its own", async ({
  page,
}) => {
  // Who may send images has the longest form.
  await signIn(page, await makeTrader({ approved: true, imageCredits: 1 }));
  await page.goto("/bot");
  await requestSignal(page, "XRP/USDT");
  const result = resultFor(page, "XRP/USDT");
  await expect(result).toHaveAttribute("data-signal", /^(buy|sell|wait)$/);
  const confidence = result.getByRole("progressbar");
  await expect(confidence).toHaveAttribute("aria-valuenow", /^\d+/);
  await expect(confidence).toHaveAttribute("data-level", /^(high|medium|low)$/);
  await expect(confidence).toContainText("stated confidence");
  await expect(result.getByText(/^Demo data:/).first()).toBeVisible();
  await expect(result.getByText(/^Rule-based analysis:/).first()).toBeVisible();
  await expect(result.getByText("Key evidence")).toBeVisible();
  await expect(page.getByRole("img", { name: /^XRP\/USDT/ })).toBeVisible();
  // Without scrolling on a laptop; the button stays wherever the page is scrolled to, on a phone too.
  const answer = [
    result.getByText(/^(BUY|SELL|WAIT)$/),
    result.getByText(/such trades|states this|nothing to enter/),
  ];
  await page.setViewportSize(LAPTOP);
  await page.evaluate(() => window.scrollTo(0, 0));
  for (const part of answer) await expect(part).toBeInViewport({ ratio: 1 });
  const isTrade = (await result.getAttribute("data-signal")) !== "wait";
  if (isTrade) {
    for (const name of ["Entry", "Take profit", "Position size", "Required margin"]) {
      await expect(result.getByText(name, { exact: true })).toBeInViewport({ ratio: 1 });
    }
  }
  const button = page.getByRole("button", { name: "Get Signal" });
  for (const size of [LAPTOP, PHONE]) {
    await page.setViewportSize(size);
    for (const part of [0, 1, 2]) {
      const share = part / 2;
      await page.evaluate((at) => window.scrollTo(0, at * document.body.scrollHeight), share);
      await expect(button).toBeInViewport({ ratio: 1 });
    }
  }
  await page.setViewportSize(DESKTOP);
  const time = result.locator("time[tabindex]").first();
  await expect.poll(() => tipOf(time)).toBe("none");
  // It is for those who use the keyboard.
  await page.keyboard.press("Tab");
  await time.focus();
  await expect.poll(() => tipOf(time)).toBe("block");
  await result.getByRole("link", { name: "Open", exact: true }).click();
  await expect(page).toHaveURL(/\/signals\/[0-9a-f]{24}$/);
  const heading = page.getByRole("heading", { level: 1, name: /XRP\/USDT/ });
  await expect(heading).toBeVisible();
  await expect(page.locator("canvas").first()).toBeVisible();
  await expect(page.getByRole("region", { name: "Outcome" })).toBeVisible();
  await page.emulateMedia({ media: "print" });
  await expect(heading).toBeVisible();
  for (const role of ["navigation", "button", "contentinfo"] as const) {
    await expect(page.getByRole(role)).toHaveCount(0);
  }
  await expect(page.locator("body")).toHaveCSS("background-color", "rgb(255, 255, 255)");
  await page.emulateMedia({ media: "screen" });
  await page.getByRole("link", { name: "All signals" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Signal history" })).toBeVisible();
});

test("a signal requested in one tab shows in another and on another device without a reload, and logging out forgets the session in every tab", async ({
  page,
  context,
  openElsewhere,
}) => {
  const trader = await makeTrader({ approved: true });
  const phone = await openElsewhere();
  await signIn(phone, trader);
  await openHistory(phone);
  await signIn(page, trader);
  await page.goto("/bot");
  const tab = await context.newPage();
  await openHistory(tab);
  await requestSignal(page, "BTC/USDT");
  for (const other of [phone, tab]) {
    const cards = resultFor(other, "BTC/USDT");
    await expect(cards).toHaveCount(1);
    await expect(cards).not.toContainText(/In progress|Failed/);
  }
  await phone.close();
  await page.getByRole("button", { name: "Logout" }).click();
  await expect(page).toHaveURL(/\/$/);
  await expect(tab).toHaveURL(/\/login$/);
  const kept = await page.evaluate(() => ({ ...localStorage }));
  for (const key of ["token", "isApproved", "isAdmin"]) expect(kept).not.toHaveProperty(key);
});
