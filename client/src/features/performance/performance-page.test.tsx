import type { Performance } from "@shared/contract/performance.ts";
import { noRates, record } from "@shared/testing/performance-record.ts";
import { cleanup, screen, waitFor, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { api } from "../../testing/fake-api.ts";
import { openApp, openPart } from "../../testing/open-app.tsx";
import { PerformancePage } from "./performance-page.tsx";

function openWith(answer: Performance, path = "/performance") {
  api.reply("GET /performance", answer);
  return openPart(<PerformancePage />, undefined, path);
}

const metrics = () => screen.findByRole("region", { name: "Key metrics" });

test("every metric has its interval, and what chance alone gives beside it", async () => {
  api.reply("GET /performance", record);
  openApp("/performance");
  const text = (await metrics()).textContent ?? "";
  expect(text).toContain("45.0%");
  expect(text).toContain("95% interval 38.0% to 52.0%");
  expect(text).toContain("Random baseline36.0%");
  expect(text).toContain(
    "Better than chance after costs: an edge of +9.0 percentage points (+1.3 to +16.7 however often one looks; break-even at +1.1).",
  );
  expect(text).toContain("141");
  expect(text).toContain("\u221211.4 R");
  screen.getByText("Past performance is not indicative of future results.");
});

test("a part of the record is marked as exploration, and nothing is claimed of it", async () => {
  openWith(record, "/performance?timeframe=4h");
  expect((await metrics()).textContent).toContain(
    "Exploration, not a claim: an edge of +9.0 percentage points",
  );
  screen.getByText(/These filters show a part of the record\. The best of many parts looks good/);
  cleanup();
  openWith(record);
  await metrics();
  expect(screen.queryByText(/These filters show a part of the record/)).toBeNull();
});

test("what WAITs passed up is shown on its own", async () => {
  openWith(record);
  await screen.findByText("Not known: these trades may have lost or earned money after costs.");
  screen.getByText("Of 60 WAITs; 1 not filled");
});

test("losses and signals without a result are counted", async () => {
  openWith(record);
  await metrics();
  const counts = [
    ["Lost", "110"],
    ["Expired", "7"],
    ["Not filled", "5"],
    ["WAIT", "60"],
    ["Failed", "2"],
    ["Pending", "3"],
  ] as const;
  for (const [name, count] of counts) {
    const term = screen
      .getAllByRole("term")
      .find(({ textContent }) => textContent?.startsWith(name));
    expect(term?.parentElement?.querySelector("dd")?.textContent).toBe(count);
  }
});

test("the curve can be read as a table, and a thin range of confidence shows no rate", async () => {
  const { user } = openWith(record);
  await user.click(await screen.findByText("Curve as a table"));
  const rowOf = (start: string) =>
    screen.getAllByRole("row").find(({ textContent }) => textContent?.startsWith(start))
      ?.textContent;
  expect(rowOf("19 Nov 2026")).toBe("19 Nov 2026+43.5 R");
  expect(rowOf("60–70%")).toContain("Not enough signals");
  expect(rowOf("70–80%")).toContain("46.7%");
  expect(rowOf("70–80%")).toContain("+10.7 pp");
});

test("filters are kept in the address, and demo data is always named", async () => {
  const { user, address } = openWith(record);
  await metrics();
  await user.selectOptions(screen.getByLabelText("Market"), "BTC/USDT");
  await user.selectOptions(screen.getByLabelText("Timeframe"), "4h");
  await user.selectOptions(screen.getByLabelText("Analyst"), "Rule-based · rules/1");
  const path = "/performance?symbol=BTC%2FUSDT&timeframe=4h&analyst=rules&version=rules%2F1";
  await waitFor(() => expect(address()).toBe(path));

  cleanup();
  const reopened = openWith(record, path);
  await metrics();
  const select = (label: string) => screen.findByLabelText<HTMLSelectElement>(label);
  expect((await select("Timeframe")).selectedOptions[0]?.text).toBe("4h");
  expect((await select("Analyst")).selectedOptions[0]?.text).toBe("Rule-based · rules/1");
  const versions = () => api.requests.map(({ query }) => query.get("version"));
  await waitFor(() => expect(versions()).toContain("rules/1"));
  await reopened.user.selectOptions(await select("Record"), "Demo data");
  await waitFor(() => expect(reopened.address()).toBe("/performance?data=replay"));
  await screen.findByText("Demo record, from recorded candles");
});

test("the record of each class of markets can be chosen", async () => {
  const { user, address } = openWith(record);
  await metrics();
  const select = screen.getByLabelText<HTMLSelectElement>("Market");
  expect([...select.options].slice(0, 7).map(({ text }) => text)).toEqual([
    "All markets",
    "All crypto",
    "All forex",
    "All metals",
    "All indices",
    "All oil",
    "All stocks",
  ]);
  await user.selectOptions(select, "All stocks");
  await waitFor(() => expect(address()).toBe("/performance?class=stocks"));
});

test("each model has its record, and what its analyses take", async () => {
  const { user, address } = openWith(record);
  const models = await screen.findByRole("region", { name: "Models" });
  const row = (name: RegExp) =>
    within(within(models).getByRole("rowheader", { name }).closest("tr") ?? models)
      .getAllByRole("cell")
      .map(({ textContent }) => textContent);
  expect(row(/gpt-large/)).toEqual(["150", "3,100", "620", "$0.0042", "8.4 s"]);
  const none = "not enough data";
  expect(row(/rules-v1/)).toEqual(["127", none, none, none, none]);
  expect(within(models).getByRole("link", { name: "gpt-large" }).getAttribute("href")).toBe(
    "/analyst?analyst=openai&version=openai%2F7&model=gpt-large",
  );
  await user.selectOptions(screen.getByLabelText("Model"), "gpt-large");
  await waitFor(() => expect(address()).toBe("/performance?model=gpt-large"));
  await waitFor(() =>
    expect(api.requests.map(({ query }) => query.get("model"))).toContain("gpt-large"),
  );
});

test("the trades of the shown record can be saved", async () => {
  openWith(record, "/performance?data=replay&timeframe=4h");
  await metrics();
  const link = (name: string) => screen.getByRole("link", { name }).getAttribute("href");
  const path = "/performance/export?format=";
  expect(link("Export CSV")).toContain(`${path}csv&data=replay&timeframe=4h`);
  expect(link("Export JSON")).toContain(`${path}json&data=replay&timeframe=4h`);
});

const noSignals = Object.fromEntries(Object.keys(record.counts).map((name) => [name, 0]));
const emptyRecord = {
  ...record,
  ...noRates,
  counts: noSignals,
  trades: 0,
  effective_trades: 0,
  equity: [],
  models: [],
  recorded: { symbols: [], analysts: [] },
};
const replyWithDemoOnly = () =>
  api.reply("GET /performance", ({ query }) =>
    query.get("data") === "replay" ? record : emptyRecord,
  );

test("the demo record opens if there is no other, and live data can still be chosen", async () => {
  replyWithDemoOnly();
  const { user, address } = openPart(<PerformancePage />, undefined, "/performance");
  await metrics();
  screen.getByText("Demo record, from recorded candles");
  const chosen = () => screen.getByLabelText<HTMLSelectElement>("Record").selectedOptions[0]?.text;
  expect(chosen()).toBe("Demo data");
  await user.selectOptions(screen.getByLabelText("Record"), "Live data");
  await screen.findByText("No signals here yet");
  expect(address()).toBe("/performance?data=live");
  await user.selectOptions(screen.getByLabelText("Timeframe"), "4h");
  await waitFor(() => expect(address()).toBe("/performance?timeframe=4h&data=live"));
  expect(chosen()).toBe("Live data");
  await user.click(screen.getByRole("link", { name: "Clear filters" }));
  await waitFor(() => expect(address()).toBe("/performance?data=live"));
});

test("a live product never opens with the demo record", async () => {
  replyWithDemoOnly();
  const status = { market_data: "live", analyst: "rules", version: "1.0.0" };
  openPart(<PerformancePage />, undefined, "/performance");
  api.reply("GET /status", status);
  await screen.findByText("No signals here yet");
  expect(screen.queryByText("Demo record, from recorded candles")).toBeNull();
});

test("too few signals are reported, and show no rate", async () => {
  const counts = { ...record.counts, decided: 12, wins: 5, losses: 7 };
  const few = { expectancy_r: null, profit_factor: null, max_drawdown_r: null };
  openWith({ ...record, ...noRates, ...few, counts, trades: 12, effective_trades: 9 });
  await screen.findByText(/12 of at least 30 decided signals\./);
  expect(within(await metrics()).getAllByText("Not enough signals")).toHaveLength(6);
});

test("a record that cannot be loaded is loaded again on request", async () => {
  api.drop("GET /performance");
  const { user } = openPart(<PerformancePage />, undefined, "/performance");
  const alert = await screen.findByRole("alert");
  expect(alert.textContent).toContain("The record could not be loaded.");
  api.reply("GET /performance", record);
  await user.click(screen.getByRole("button", { name: "Try again" }));
  await waitFor(() => expect(screen.queryByRole("alert")).toBeNull());
});
