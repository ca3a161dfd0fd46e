import type { Followed } from "@shared/contract/followed.ts";
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { api } from "../../testing/fake-api.ts";
import { openPart } from "../../testing/open-app.tsx";
import { followedCsv } from "./api.ts";
import { ResultsPage } from "./results-page.tsx";

const trade = {
  signal_id: "1",
  symbol: "BTC/USDT",
  timeframe: "1h",
  side: "BUY",
  entered_at: "2026-01-05T00:01:00.000Z",
  fill: 100,
  exited_at: "2026-01-05T12:00:00.000Z",
  exit: 120,
  r_multiple: 2,
  funding: -0.5,
  profit: 20,
  balance: 1_020,
} as const;
const sums = { trades: 1, wins: 1, total_r: 2, profit: 20 };
const followed: Followed = {
  start_balance: 1_000,
  end_balance: 1_020,
  max_drawdown_percent: 3.5,
  trades: 1,
  wins: 1,
  total_r: 2,
  funding: -0.5,
  without_funding: 0,
  skipped: [{ reason: "entry-left", count: 4 }],
  equity: [
    { at: trade.entered_at, balance: 1_000 },
    { at: trade.exited_at, balance: 1_020 },
  ],
  by_market: [{ symbol: "BTC/USDT", ...sums }],
  by_day: [{ day: "2026-01-05", ...sums }],
  demo_trades: 0,
  holding: { end_balance: 1_100 },
  random: { low: 950, median: 998, high: 1_060, runs: 200 },
  verdict: "same",
  results: [trade],
  truncated: false,
};

test("shows the account, what it is compared with, its days, and what was skipped", async () => {
  api.reply("GET /me/followed", followed);
  openPart(<ResultsPage />, { approved: true }, "/results");
  await screen.findByText("+2.00%");
  await screen.findByText(/within what entries at random give/);
  screen.getByText(/last exit: \$1,100\.00/);
  const january = screen.getByRole("table", { name: "January 2026" });
  within(january).getByRole("button", { name: "5 Jan 2026: +$20.00 in 1 trade" });
  screen.getByRole("row", { name: "The price had left the entry zone 4" });
});

test("a day that is tapped says what it made", async () => {
  api.reply("GET /me/followed", followed);
  const { user } = openPart(<ResultsPage />, { approved: true }, "/results");
  await user.click(await screen.findByRole("button", { name: "5 Jan 2026: +$20.00 in 1 trade" }));
  const said = screen.getAllByRole("status").map(({ textContent }) => textContent);
  expect(said).toContain("5 Jan 2026: +$20.00 in 1 trade");
});

test("profits have a sign, and a true minus, like all results", async () => {
  const [market] = followed.by_market;
  const lost = { ...market, symbol: "EUR/USD", total_r: -1.5, profit: -15.72 };
  api.reply("GET /me/followed", { ...followed, by_market: [market, lost] });
  openPart(<ResultsPage />, { approved: true }, "/results");
  await screen.findByRole("row", { name: "BTC/USDT 1 1 +2.00 R +$20.00" });
  screen.getByRole("row", { name: "EUR/USD 1 1 \u22121.50 R \u2212$15.72" });
});

test("shows the funding that was paid", async () => {
  api.reply("GET /me/followed", followed);
  openPart(<ResultsPage />, { approved: true }, "/results");
  const fact = await screen.findByText("Funding paid");
  expect(fact.nextSibling?.textContent).toBe("$0.50");
  expect(screen.queryByText(/Funding is missing/)).toBeNull();
});

test("shows the funding that was received, and how many trades have none", async () => {
  api.reply("GET /me/followed", { ...followed, funding: 1.25, without_funding: 3 });
  openPart(<ResultsPage />, { approved: true }, "/results");
  const fact = await screen.findByText("Funding received");
  expect(fact.nextSibling?.textContent).toBe("$1.25");
  screen.getByText("Funding is missing for 3 trades of crypto whose rate is not known.");
});

test("has its filters in the address, and drops what is not valid", async () => {
  api.reply("GET /me/followed", followed);
  const { user, address } = openPart(
    <ResultsPage />,
    { approved: true },
    "/results?delay=5m&risk_percent=900",
  );
  await screen.findByText("+2.00%");
  const queries = () =>
    api.requests.map(({ route, query }) => (route === "GET /me/followed" ? String(query) : ""));
  expect(queries()).toContain("start_balance=1000&risk_percent=1&delay=5m");
  await user.selectOptions(screen.getByLabelText("Timeframe"), "4h");
  const balance = screen.getByLabelText("Start balance, USD");
  await user.clear(balance);
  await user.type(balance, "2500");
  fireEvent.blur(balance);
  await waitFor(() => expect(address()).toBe("/results?timeframe=4h&start_balance=2500&delay=5m"));
  await user.click(screen.getByRole("button", { name: "Clear filters" }));
  expect(address()).toBe("/results");
});

test("says why a filter is not valid, and changes nothing until it is", async () => {
  api.reply("GET /me/followed", followed);
  const { user, address } = openPart(<ResultsPage />, { approved: true }, "/results");
  const risk = await screen.findByLabelText<HTMLInputElement>("Risk per trade, %");
  await user.clear(risk);
  await user.type(risk, "900{Enter}");
  expect((await screen.findByRole("alert")).textContent).toBe(
    "Use a risk above 0, up to 100 percent.",
  );
  expect(risk.getAttribute("aria-invalid")).toBe("true");
  expect(address()).toBe("/results");
  await user.clear(risk);
  fireEvent.blur(risk);
  expect(risk.value).toBe("1");
  expect(screen.queryByRole("alert")).toBeNull();
  await user.clear(risk);
  await user.type(risk, "2{Enter}");
  await waitFor(() => expect(address()).toBe("/results?risk_percent=2"));
});

test("turns the monthly email on with the inputs of the page, keeps it to the last ones, and off", async () => {
  api.reply("GET /me/followed", followed);
  const off = { monthly: false, start_balance: 1_000, risk_percent: 1 };
  api.reply("GET /me/results-email", off);
  api.reply("PUT /me/results-email", ({ body }) => JSON.parse(body));
  const saved = () => api.bodiesOf("PUT /me/results-email").map((body) => JSON.parse(body));
  const { user } = openPart(
    <ResultsPage />,
    { approved: true },
    "/results?start_balance=2500&risk_percent=2",
  );
  const toggle = await screen.findByRole("switch", { name: "Monthly email" });
  expect(toggle).toHaveProperty("checked", false);
  await user.selectOptions(screen.getByLabelText("Timeframe"), "4h");
  expect(saved()).toEqual([]);
  await user.click(toggle);
  await screen.findByText(/for \$2,500\.00 and a risk of 2%/);
  const risk = screen.getByLabelText("Risk per trade, %");
  await user.clear(risk);
  await user.type(risk, "0.5");
  fireEvent.blur(risk);
  await screen.findByText(/a risk of 0\.5%/);
  await user.click(toggle);
  await waitFor(() => expect(toggle).toHaveProperty("checked", false));
  const used = { start_balance: 2_500, risk_percent: 0.5 };
  expect(saved()).toEqual([
    { ...used, monthly: true, risk_percent: 2 },
    { ...used, monthly: true },
    { ...used, monthly: false },
  ]);
});

test("says that no trade has ended", async () => {
  api.reply("GET /me/followed", { ...followed, trades: 0, equity: [], results: [], skipped: [] });
  openPart(<ResultsPage />, { approved: true }, "/results");
  await screen.findByText("No trade has ended yet");
});

test("exports each trade with units in the names", () => {
  const [head, row] = followedCsv(followed).split("\r\n");
  expect(head).toContain("entered_at_utc,exited_at_utc,symbol");
  expect(row).toContain("BTC/USDT,1h,BUY,100,120,2,-0.5,20,1020,1");
});
