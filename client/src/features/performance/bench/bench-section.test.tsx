import type { Bench, BenchDetails } from "@shared/contract/analyst-bench.ts";
import { record } from "@shared/testing/performance-record.ts";
import { screen, waitFor, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { api } from "../../../testing/fake-api.ts";
import { openPart } from "../../../testing/open-app.tsx";
import { PerformancePage } from "../performance-page.tsx";

const SINCE = "2026-11-01T00:00:00.000Z";

const arm = (id: string, label: string): Bench["arms"][number] => ({
  ...{ id, label, analyst: "openai", model: `model-${id}`, version: "openai/1", since: SINCE },
  ...{ analyses: 1_200, decided: 340, failed: id === "b" ? 7 : 0 },
  expectancy_r: { value: 0.12, low: -0.05, high: 0.29 },
  ...{ edge: null, brier_skill: null, cost_per_analysis_usd: id === "a" ? 0.0042 : 0 },
  latency_ms: { p50: 1_200, p95: 8_400 },
});

const pair = (a: string, b: string, conclusive: boolean): Bench["pairs"][number] => ({
  ...{ a, b, common: 500, conclusive },
  difference_r: { value: 0.2, low: conclusive ? 0.05 : -0.1, high: 0.5 },
  difference_brier: { value: null, low: null, high: null },
});

const BENCH: Bench = {
  arms: [arm("a", "Terra"), arm("b", "Local"), arm("random", "Random")],
  pairs: [pair("a", "b", false), pair("a", "random", true), pair("b", "random", false)],
};

const detail = (id: string): BenchDetails["arms"][number] => ({
  ...{ id, is_baseline: id === "random", waits: 3, pending: 1, first_record: 7, last_record: 90 },
  curve: [
    { day: "2026-11-01", r: 1, low: null, high: null },
    { day: "2026-11-02", r: 4, low: -3, high: 11 },
    { day: "2026-11-03", r: 2, low: -6, high: 10 },
  ],
});

const DETAILS: BenchDetails = {
  is_demo: true,
  updated_at: SINCE,
  markets: [{ symbol: "BTC/USDT", timeframe: "1h" }],
  arms: ["a", "b", "random"].map(detail),
  pairs: [
    { a: "a", b: "b", more_needed: 1_234 },
    { a: "a", b: "random", more_needed: 0 },
    { a: "b", b: "random", more_needed: null },
  ],
};

function open() {
  api.reply("GET /performance", record);
  api.reply("GET /bench", BENCH);
  api.reply("GET /bench/details", DETAILS);
  return openPart(<PerformancePage />, undefined, "/performance");
}

const bench = () => screen.findByRole("region", { name: "Bench" });

test("the bench shows each arm with its figures, which lead to its ledger records", async () => {
  open();
  const section = await bench();
  within(section).getByText("Demo record, from recorded candles");
  const table = within(section).getByRole("table", { name: "Arms of the bench" });
  const row = within(table).getByRole("rowheader", { name: /Local/ }).closest("tr");
  expect(row?.textContent).toContain("7");
  expect(row?.textContent).toContain("+0.12 R");
  expect(row?.textContent).toContain("free");
  const [link] = within(table).getAllByRole("link", { name: /ledger records of Terra/ });
  expect(link?.getAttribute("href")).toMatch(/\/ledger\?arm=a&after=6$/);
});

test("a pair says which is better, or about how many more trades it takes to know", async () => {
  open();
  const section = await bench();
  const table = within(section).getByRole("table", { name: "Differences of the arms in pairs" });
  const cells = within(within(table).getAllByRole("row")[1] ?? table).getAllByRole("cell");
  expect(cells[0]?.textContent).toContain("Not known yet: about 1,200 more trades");
  expect(cells[1]?.textContent).toContain("Better");
  const others = within(within(table).getAllByRole("row")[2] ?? table).getAllByRole("cell");
  expect(others[1]?.textContent).toContain("Not known yet");
});

test("the band of the chart is that of the chosen arm", async () => {
  const { user } = open();
  const section = await bench();
  const button = within(section).getByRole("button", { name: /Random/ });
  expect(button.getAttribute("aria-pressed")).toBe("false");
  await user.click(button);
  expect(button.getAttribute("aria-pressed")).toBe("true");
});

test("without a bench there is no section", async () => {
  api.reply("GET /performance", record);
  api.reply("GET /bench", { arms: [], pairs: [] });
  api.reply("GET /bench/details", { ...DETAILS, arms: [], pairs: [], markets: [] });
  openPart(<PerformancePage />, undefined, "/performance");
  await screen.findByRole("region", { name: "Key metrics" });
  await waitFor(() => expect(api.requests.map(({ route }) => route)).toContain("GET /bench"));
  expect(screen.queryByRole("region", { name: "Bench" })).toBeNull();
});
