import { noRates, record } from "@shared/testing/performance-record.ts";
import { QueryClientProvider } from "@tanstack/react-query";
import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import type { ReactNode } from "react";
import { MemoryRouter } from "react-router-dom";
import { expect, test } from "vitest";
import { queryClient } from "../../lib/query-client.ts";
import { api } from "../../testing/fake-api.ts";
import { openApp } from "../../testing/open-app.tsx";
import { LiveRecord } from "./components/live-record.tsx";
import { OverviewPanel } from "./components/market-panels.tsx";
import { RecentResults } from "./components/recent-results.tsx";

const renderWithQueries = (screen: ReactNode) =>
  render(<QueryClientProvider client={queryClient}>{screen}</QueryClientProvider>, {
    wrapper: MemoryRouter,
  });

const headings = (level: number) =>
  screen.getAllByRole("heading", { level }).map((heading) => heading.textContent);

test("the home page says what the product is, from top to bottom", async () => {
  openApp("/");
  await screen.findByRole("heading", { level: 1, name: "AI-Powered Trading Signals" });
  expect(headings(2)).toEqual([
    "Recent Results",
    "Why Choose Our Bot?",
    "Market Overview",
    "Cryptocurrency Markets",
  ]);
  expect(headings(3)).toEqual(["AI-Driven Analysis", "Real-Time Signals", "Comprehensive History"]);
  const legal = [
    ["Privacy Policy", "/privacy"],
    ["Terms of Service", "/terms"],
  ] as const;
  for (const [name, href] of legal) {
    expect(screen.getByRole("link", { name }).getAttribute("href")).toBe(href);
  }
});

test("the record of all signals is not mentioned while there is none", async () => {
  const none = Object.fromEntries(Object.keys(record.counts).map((name) => [name, 0]));
  api.reply("GET /performance", { ...record, ...noRates, counts: none, trades: 0 });
  renderWithQueries(<LiveRecord />);
  await waitFor(() => expect(api.bodiesOf("GET /performance")).not.toHaveLength(0));
  await waitFor(() => expect(screen.queryByText("Live record so far.")).toBeNull());
});

const levels = { entry: 113_000, stop_loss: 112_000, take_profit: 115_000 };

test("the hero shows the newest trade that was won or lost, and one figure with its interval", async () => {
  const at = "2026-11-20T12:00:00.000Z";
  const item = { symbol: "BTC/USDT", timeframe: "1h", signal: "BUY", resolved_at: at, ...levels };
  api.reply("GET /activity", {
    data: "replay",
    items: [
      { ...item, seq: 10, outcome: "EXPIRED", reason: "not-filled", r_multiple: null },
      { ...item, seq: 9, outcome: "EXPIRED", reason: "hold-over", r_multiple: 0.4 },
      { ...item, seq: 8, symbol: "ETH/USDT", outcome: "LOSS", reason: "stop", r_multiple: -1.02 },
      { ...item, seq: 7, outcome: "WIN", reason: "target", r_multiple: 2 },
    ],
  });
  api.reply("GET /performance", { ...record, win_rate: { value: 0.42, low: 0.38, high: 0.46 } });
  openApp("/");
  const shown = (await screen.findByText("Latest result of our record")).closest("figure");
  await waitFor(() =>
    expect(shown?.textContent).toMatch(
      /ETH\/USDT 1h.*Demo record.*113000\.00000.*112000\.00000.*115000\.00000LOSS.1\.02 R.*42\.0%.*38\.0% to 46\.0%/,
    ),
  );
});

const openResults = () => renderWithQueries(<RecentResults />);

test("recent results are the trades that are over, and demo data is labelled", async () => {
  const item = {
    symbol: "BTC/USDT",
    timeframe: "1h",
    resolved_at: "2026-11-20T12:00:00.000Z",
    reason: "target",
    ...levels,
  };
  api.reply("GET /activity", {
    data: "replay",
    items: [
      { ...item, seq: 9, signal: "SELL", outcome: "LOSS", r_multiple: -1.02 },
      {
        ...item,
        seq: 7,
        signal: "BUY",
        outcome: "EXPIRED",
        reason: "not-filled",
        r_multiple: null,
      },
    ],
  });
  openResults();
  const rows = await screen.findAllByRole("listitem");
  expect(rows.map(({ textContent }) => textContent)).toEqual([
    expect.stringMatching(/^SELLBTC\/USDT 1h.*LOSS−1\.02 R$/),
    expect.stringMatching(/^BUY.*EXPIREDNot filled$/),
  ]);
  screen.getByText("Demo record, from recorded candles");
});

test("recent results say that there are none, or that they cannot be loaded", async () => {
  api.reply("GET /activity", { data: "live", items: [] });
  const { unmount } = openResults();
  await screen.findByText("No trade has been resolved yet.");
  unmount();
  queryClient.clear();
  api.drop("GET /activity");
  openResults();
  await screen.findByText("Recent results are not available at the moment.");
});

test("where prices cannot be loaded, a panel says so and offers a retry", async () => {
  api.drop("GET /markets");
  renderWithQueries(<OverviewPanel />);
  await screen.findByText("Market prices are not available at the moment.");
  const quote = { symbol: "BTC/USDT", price: 64_000, change_percent: 1, high: 65_000, low: 63_000 };
  const at = "2026-11-20T12:00:00.000Z";
  api.reply("GET /markets", {
    markets: [{ ...quote, closes: [63_500, 64_000], data: "replay", as_of: at }],
    updated_at: at,
  });
  await userEvent.click(screen.getByRole("button", { name: "Try again" }));
  await screen.findByText("BTC/USDT");
});
