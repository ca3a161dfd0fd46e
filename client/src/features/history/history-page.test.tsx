import type { HistoryItem } from "@shared/contract/signal.ts";
import { screen, waitFor, within } from "@testing-library/react";
import type { UserEvent } from "@testing-library/user-event";
import { describe, expect, test } from "vitest";
import { makeHistoryItem } from "../../testing/factories.ts";
import { api } from "../../testing/fake-api.ts";
import { openPart } from "../../testing/open-app.tsx";
import { HistoryPage } from "./history-page.tsx";

const keep = (...signals: HistoryItem[]) =>
  api.reply("GET /signal-history", { signals, next_cursor: null });

const cards = () => [...document.querySelectorAll<HTMLElement>("[data-signal]")];

test("a history is loading first, and then says that there is nothing yet", async () => {
  keep();
  const release = api.hold("GET /signal-history");
  openPart(<HistoryPage />, {}, "/signal-history");
  await screen.findByRole("status", { name: "Loading your signals" });
  release();
  await screen.findByText("No signals generated yet.");
});

test("leads to what these signals made, which the navigation does not name", async () => {
  keep();
  openPart(<HistoryPage />, {}, "/signal-history");
  const link = await screen.findByRole("link", { name: "Results" });
  expect(link.getAttribute("href")).toBe("/results");
});

test("prices have five decimals, and a WAIT has none", async () => {
  const noLevels = { entry: null, stop_loss: null, take_profit: null };
  keep(
    makeHistoryItem({ id: "2", symbol: "EUR/USD", signal: "WAIT", ...noLevels }),
    makeHistoryItem({ id: "1", symbol: "ETH/USDT" }),
  );
  openPart(<HistoryPage />, {}, "/signal-history");
  await waitFor(() => expect(cards()).toHaveLength(2));
  const [wait, buy] = cards();
  expect(wait?.textContent).toContain("EUR/USD");
  expect(wait?.textContent).not.toMatch(/\d\.\d{5}/);
  expect(buy?.textContent?.match(/[\d,]+\.\d{5}/g)).toHaveLength(3);
});

test("a WAIT that states no confidence shows none", async () => {
  keep(
    makeHistoryItem({ id: "2", signal: "WAIT", confidence: 0 }),
    makeHistoryItem({ id: "1", signal: "WAIT", confidence: 45 }),
  );
  openPart(<HistoryPage />, {}, "/signal-history");
  await waitFor(() => expect(cards()).toHaveLength(2));
  const [without, stated] = cards();
  expect(without?.textContent).not.toMatch(/%|confidence|·/);
  expect(stated?.textContent).toContain(" · 45% stated");
});

test("signals of one analysis are one card, which leads to each of them", async () => {
  const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
  const shared = { analysis_id: "a1", symbol: "ETH/USDT" };
  keep(
    makeHistoryItem({ id: "3", timestamp: minutesAgo(1), ...shared }),
    makeHistoryItem({ id: "2", timestamp: minutesAgo(2), analysis_id: "a2" }),
    makeHistoryItem({ id: "1", timestamp: minutesAgo(3), ...shared }),
  );
  const { user } = openPart(<HistoryPage />, {}, "/signal-history");
  await waitFor(() => expect(cards()).toHaveLength(2));
  const [asked, other] = cards();
  if (!asked) throw new Error("there is no card");
  expect(asked.textContent).toContain("asked 2 times");
  expect(other?.textContent).not.toContain("asked");
  await user.click(within(asked).getByRole("button", { name: /^Details of/ }));
  const links = within(asked).getAllByRole("link");
  const addresses = new Set(links.map((link) => link.getAttribute("href")));
  expect(addresses).toEqual(new Set(["/signals/3", "/signals/1"]));
});

const openDetails = async (user: UserEvent) =>
  user.click(await screen.findByRole("button", { name: /^Details of/ }));

test("a note is written on a signal, and kept as it was typed if it cannot be stored", async () => {
  keep(makeHistoryItem({ id: "1" }));
  const { user } = openPart(<HistoryPage />, {}, "/signal-history");
  await openDetails(user);
  await user.click(await screen.findByRole("button", { name: "Add a note" }));
  await user.type(screen.getByLabelText("Note"), "Too early again");
  api.fail("PUT /signals/1/note", { status: 503 });
  await user.click(screen.getByRole("button", { name: "Save" }));
  await screen.findByRole("alert");
  keep(makeHistoryItem({ id: "1", note: "Too early again" }));
  api.reply("PUT /signals/1/note", ({ body }) => JSON.parse(body));
  await user.click(screen.getByRole("button", { name: "Save" }));
  await screen.findByRole("button", { name: "Edit note" });
  screen.getByText("Too early again");
  expect(api.bodiesOf("PUT /signals/1/note")).toEqual(
    Array.from({ length: 2 }, () => JSON.stringify({ note: "Too early again" })),
  );
});

test("a signal of a watched market says where it comes from", async () => {
  keep(makeHistoryItem({ id: "2", origin: "watchlist" }), makeHistoryItem({ origin: "request" }));
  openPart(<HistoryPage />, {}, "/signal-history");
  await waitFor(() => expect(cards()).toHaveLength(2));
  const marked = cards().map(({ textContent }) => textContent.includes("From your watchlist"));
  expect(marked).toEqual([true, false]);
});

test("a rationale by topic is shown with its topics", async () => {
  keep(makeHistoryItem({ rationale: { trend: "up", key_levels: { support: 112_000 } } }));
  const { user } = openPart(<HistoryPage />, {}, "/signal-history");
  await openDetails(user);
  await screen.findByText(/Trend: up\s+Key levels: Support: 112000/);
});

test("signals of the demo record are labelled", async () => {
  keep(makeHistoryItem({ id: "2", demo_record: true }), makeHistoryItem({ id: "1" }));
  openPart(<HistoryPage />, {}, "/signal-history");
  await screen.findByTitle("Demo record, from recorded candles");
  expect(screen.getAllByText(/Demo record/)).toHaveLength(1);
});

test("a row says size, state and result; a WAIT has no outcome", async () => {
  const sized = { suggested_units: 0.5, estimated_dollar_risk: 10 };
  const noLevels = { entry: null, stop_loss: null, take_profit: null };
  keep(
    makeHistoryItem({ id: "5", ...sized, outcome: "WIN", r_multiple: 1.5 }),
    makeHistoryItem({ id: "4", ...sized, outcome: "EXPIRED" }),
    makeHistoryItem({ id: "3", ...sized, outcome: "EXPIRED", without_data: true }),
    makeHistoryItem({ id: "2", ...sized }),
    makeHistoryItem({ id: "1", signal: "WAIT", ...noLevels }),
  );
  openPart(<HistoryPage />, {}, "/signal-history");
  await waitFor(() => expect(cards()).toHaveLength(5));
  const texts = cards().map(({ textContent }) => textContent);
  expect(texts[0]).toMatch(/0\.5 BTC.*risk \$10\.00.*WIN.*\+1\.50 R\+\$15\.00/);
  expect(texts[1]).toMatch(/EXPIREDNot filled/);
  expect(texts[2]).toMatch(/EXPIREDNo prices, fill unknown/);
  expect(texts[3]).toMatch(/PENDINGWaiting for entry/);
  expect(texts[4]).not.toMatch(/PENDING|WIN|LOSS|EXPIRED/);
});

test("totals and signals are of the filter in the address", async () => {
  keep(makeHistoryItem());
  const rates = { value: 0.5, low: 0.1, high: 0.9 };
  api.reply("GET /signal-history/totals", ({ query }) => ({
    signals: query.get("timeframe") === "4h" ? 7 : 9,
    trades: 4,
    wins: 2,
    win_rate: rates,
    r: 1.25,
  }));
  const { user, address } = openPart(<HistoryPage />, {}, "/signal-history?timeframe=4h");
  const totals = await screen.findByLabelText("Totals");
  await waitFor(() =>
    expect(totals.textContent).toMatch(
      /Signals7.*trades4.*50\.0% 95% interval 10\.0% to 90\.0%.*\+1\.25 R/,
    ),
  );
  await user.selectOptions(screen.getByLabelText("Origin"), "request");
  await waitFor(() => expect(address()).toBe("/signal-history?timeframe=4h&origin=request"));
  await user.click(screen.getByRole("button", { name: "Clear filters" }));
  await waitFor(() => expect(within(totals).getByText("9")).toBeDefined());
  expect(address()).toBe("/signal-history");
});

describe("a history that cannot be loaded", () => {
  const failures = [
    { status: 504, text: "Server took too long to respond. Please try again." },
    { status: 500, text: "Server error: 500 Internal Server Error" },
    { status: 0, text: "Failed to connect to the backend API." },
  ];
  test.each(failures)("says '$text' and is loaded again on request", async ({ status, text }) => {
    if (status === 0) api.drop("GET /signal-history");
    else api.fail("GET /signal-history", { status });
    const { user } = openPart(<HistoryPage />, {}, "/signal-history");
    expect((await screen.findByRole("alert")).textContent).toContain(text);
    keep();
    await user.click(screen.getByRole("button", { name: "Try again" }));
    await screen.findByText("No signals generated yet.");
  });
});

test("filters that nothing fits say so and can be cleared", async () => {
  api.reply("GET /signal-history", ({ query }) => ({
    signals: query.has("outcome") ? [] : [makeHistoryItem()],
    next_cursor: null,
  }));
  const { user } = openPart(<HistoryPage />, {}, "/signal-history");
  await waitFor(() => expect(cards()).toHaveLength(1));
  await user.selectOptions(screen.getByLabelText("Outcome"), "WIN");
  await screen.findByText("No signals match these filters.");
  await user.click(screen.getByRole("button", { name: "Show all signals" }));
  await waitFor(() => expect(cards()).toHaveLength(1));
});
