import type { Performance } from "@shared/contract/performance.ts";
import { expect, type Page } from "playwright/test";
import { noRates, record } from "../support/performance-record.ts";
import { test } from "../support/test.ts";

const ANSWER = /\/performance\?/;

/** The page with a record behind it; what it asks for is put down. */
async function openWith(page: Page, answer: Performance): Promise<string[]> {
  const asked: string[] = [];
  await page.route(ANSWER, (route) => {
    const url = new URL(route.request().url());
    if (route.request().resourceType() === "document") return route.fallback();
    asked.push(url.search);
    return route.fulfill({
      json: answer,
      headers: { "Access-Control-Allow-Origin": "*" },
    });
  });
  await page.goto("/performance");
  return asked;
}

test("a visitor finds the record from the home page; it is empty, and says so", async ({
  page,
}) => {
  await page.goto("/");
  await page.getByRole("link", { name: "See overall performance" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Performance" })).toBeVisible();
  await expect(page.getByText("No signals here yet")).toBeVisible();
  await page.getByLabel("Market", { exact: true }).selectOption("All forex");
  await expect(page).toHaveURL(/\/performance\?class=forex$/);
  await page.getByRole("link", { name: "Clear filters" }).click();
  await expect(page).toHaveURL(/\/performance$/);
});

test("every figure has its margin and what chance alone gives beside it", async ({ page }) => {
  await openWith(page, record);
  const figures = page.getByRole("region", { name: "Key metrics" });
  await expect(figures).toContainText("45.0%");
  await expect(figures).toContainText("95% interval 38.0% to 52.0%");
  await expect(figures).toContainText("Random baseline36.0%");
  await expect(figures).toContainText(
    "Better than chance: an edge of +9.0 percentage points (95% interval +2.4 to +15.6).",
  );
  await expect(figures).toContainText("141");
  await expect(figures).toContainText("\u221211.4 R");
  await expect(
    page.getByText("Past performance is not indicative of future results."),
  ).toBeVisible();
});

test("losers and whatever has no result are counted in the open", async ({ page }) => {
  await openWith(page, record);
  for (const [name, count] of [
    ["Lost", "110"],
    ["Expired", "7"],
    ["Not filled", "5"],
    ["WAIT", "60"],
    ["Failed", "2"],
    ["Open now", "3"],
  ] as const) {
    const term = page.getByRole("term").filter({ hasText: new RegExp(`^${name}`) });
    await expect(term.locator("xpath=following-sibling::dd")).toHaveText(count);
  }
});

test("the curve can be read as a table, and a thin range of confidence shows no rate", async ({
  page,
}) => {
  await openWith(page, record);
  await page.getByText("Curve as a table").click();
  await expect(page.getByRole("row", { name: "19 Nov 2026 +43.5 R" })).toBeVisible();
  await expect(page.getByRole("row", { name: /^60–70%/ })).toContainText("Not enough signals");
  await expect(page.getByRole("row", { name: /^70–80%/ })).toContainText("46.7%");
  await expect(page.getByRole("row", { name: /^70–80%/ })).toContainText("+10.7 pp");
});

test("filters are kept in the address, and demo data never goes without its name", async ({
  page,
}) => {
  const asked = await openWith(page, record);
  await page.getByLabel("Market", { exact: true }).selectOption("BTC/USDT");
  await page.getByLabel("Timeframe").selectOption("4h");
  await page.getByLabel("Analyst").selectOption("Rule-based · rules/1");
  await expect(page).toHaveURL(/symbol=BTC%2FUSDT&timeframe=4h&analyst=rules&version=rules%2F1$/);
  await page.reload();
  await expect(page.getByLabel("Timeframe")).toHaveValue("4h");
  await expect(page.getByLabel("Analyst")).toHaveValue("rules rules/1");
  await expect.poll(() => asked.at(-1)).toContain("version=rules%2F1");
  await page.getByLabel("Record", { exact: true }).selectOption("Demo data");
  await expect(page).toHaveURL(/\?data=replay$/);
  await expect(page.getByText("Demo record")).toBeVisible();
});

test("too few signals are said to be so", async ({ page }) => {
  const counts = { ...record.counts, decided: 12, wins: 5, losses: 7 };
  const few = { expectancy_r: null, profit_factor: null, max_drawdown_r: null };
  await openWith(page, { ...record, ...noRates, ...few, counts, trades: 12, effective_trades: 9 });
  await expect(page.getByText("12 of at least 30 decided signals.")).toBeVisible();
  const figures = page.getByRole("region", { name: "Key metrics" });
  await expect(figures.getByText("Not enough signals")).toHaveCount(6);
});

test.describe("a record that cannot be read", () => {
  test.use({ expectsFailures: true });

  test("is said to be so, and read again on request", async ({ page }) => {
    const isAnswer = (url: URL) =>
      url.pathname === "/performance" && url.port !== new URL(page.url()).port;
    await page.goto("/pricing");
    await page.route(isAnswer, (route) => route.abort());
    await page.getByRole("link", { name: "Performance" }).click();
    await expect(page.getByRole("alert")).toContainText("The record could not be loaded.");
    await page.unroute(isAnswer);
    await page.getByRole("button", { name: "Try again" }).click();
    await expect(page.getByRole("alert")).toBeHidden();
  });
});
