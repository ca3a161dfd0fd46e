import { act, cleanup, screen, waitFor, within } from "@testing-library/react";
import { useLocation } from "react-router-dom";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { makeCandles, makeHistoryItem, makeSignal } from "../../../testing/factories.ts";
import { api } from "../../../testing/fake-api.ts";
import { openPart } from "../../../testing/open-app.tsx";
import { HistoryPage } from "../../history/history-page.tsx";
import { useChartSettings } from "../../signals/chart/candle-chart.tsx";
import { BotPage } from "../bot-page.tsx";
import { setInputs, track } from "../bot-store.ts";
import { MarketPanel, noteOf } from "./market-panel.tsx";

type ReportView = (entries: { isIntersecting: boolean }[]) => void;

/** Reports each element that it observes as in view, or as out of it. */
const observerOf = (isIntersecting: boolean) =>
  class {
    readonly disconnect = () => undefined;
    readonly observe: () => void;

    constructor(report: ReportView) {
      this.observe = () => report([{ isIntersecting }]);
    }
  };

beforeEach(() => void vi.stubGlobal("IntersectionObserver", observerOf(true)));
afterEach(() => useChartSettings.setState(useChartSettings.getInitialState()));

const openChart = () => openPart(<MarketPanel className="" />, {});
const chart = (name: RegExp) => screen.findByRole("img", { name });
const fact = (label: string) => screen.getByText(label).nextElementSibling?.textContent;

test("the bot opens with the chart of its market, and says what it shows as text", async () => {
  api.reply("GET /candles", makeCandles());
  openChart();
  await chart(/^BTC\/USDT, 60 candles of 1h, .*Low 99.5, high 160.5, last price 160\.$/);
  expect(["Last price", "Change", "Open", "High", "Low"].map(fact)).toEqual([
    "160.00000",
    "+0.63%",
    "159.00000",
    "160.50000",
    "158.50000",
  ]);
  expect(screen.getByRole("timer").textContent).toMatch(/^Closes in \d+ (min|s)/);
  screen.getByText("Source: binance.");
});

test("a chart below the view is loaded once it is scrolled to", async () => {
  vi.stubGlobal("IntersectionObserver", observerOf(false));
  openPart(<BotPage />, {});
  await screen.findByRole("button", { name: "Get Signal" });
  expect(screen.queryByRole("tablist", { name: "Chart" })).toBeNull();
  expect(api.bodiesOf("GET /candles")).toEqual([]);
});

test("averages and bands can be switched on and off, which the browser remembers", async () => {
  api.reply("GET /candles", makeCandles());
  const { user } = openChart();
  await user.click(await screen.findByRole("button", { name: "EMA", pressed: true }));
  expect(screen.queryByText("EMA 20")).toBeNull();
  await user.click(screen.getByRole("button", { name: "ATR bands", pressed: false }));
  screen.getByText("Upper ATR band");
  expect(localStorage.getItem("chart")).toContain('"ema":false,"atrBands":true');
  cleanup();
  openChart();
  await screen.findByText("Lower ATR band");
  screen.getByRole("button", { name: "EMA", pressed: false });
});

test("the candles can be read as a table, newest first", async () => {
  api.reply("GET /candles", makeCandles());
  const { user } = openChart();
  await user.click(await screen.findByRole("button", { name: "Table" }));
  const [, newest, before] = screen.getAllByRole("row");
  expect(newest?.textContent).toContain("159.00000160.50000158.50000160.00000");
  expect(before?.textContent).toContain("158.00000159.50000157.50000159.00000");
});

test("the levels of the signal are drawn in the chart of its market only", async () => {
  const signal = makeSignal();
  const { signal_id: id, symbol, timeframe } = signal;
  api.reply("GET /candles", ({ query }) =>
    makeCandles({ symbol: query.get("symbol") ?? "", source: "replay" }),
  );
  api.reply(`GET /signals/${id}`, signal);
  openChart();
  act(() => track({ id, symbol, timeframe, requestedAt: Date.now(), withImage: false }));
  await chart(/^BTC\/USDT, .* Lines: entry 100, stop loss 102, take profit 96\.$/);
  act(() => setInputs({ symbol: "ETH/USDT" }));
  await chart(/^ETH\/USDT, .*last price 160\.$/);
});

test("after an unknown symbol, the last chart is back as soon as another one is typed", async () => {
  api.reply("GET /candles", makeCandles());
  openChart();
  await chart(/^BTC\/USDT/);
  api.fail("GET /candles", { status: 422, detail: "Unknown symbol NOPE/NOPE." });
  act(() => setInputs({ symbol: "NOPE/NOPE" }));
  await screen.findByText("Unknown symbol NOPE/NOPE.");
  api.reply("GET /candles", makeCandles());
  act(() => setInputs({ symbol: "SO" }));
  await chart(/^BTC\/USDT/);
  expect(screen.queryByText("Unknown symbol NOPE/NOPE.")).toBeNull();
});

test("a symbol that is half typed as the chart opens is not asked for", async () => {
  const symbols = new Set<string | null>();
  api.reply("GET /candles", ({ query }) => {
    symbols.add(query.get("symbol"));
    return makeCandles();
  });
  const { goTo } = openPart(<TypedThenCharted />, {});
  act(() => setInputs({ symbol: "DO" }));
  await goTo("/?chart");
  await chart(/^BTC\/USDT/);
  expect([...symbols]).toEqual(["BTC/USDT"]);
});

/** The chart opens when the address asks for it. */
const TypedThenCharted = () => useLocation().search && <MarketPanel className="" />;

describe("a chart without data", () => {
  test("says why, and is loaded on request", async () => {
    const detail = "There is no data of BTC/USDT at the moment. Please try again soon.";
    api.fail("GET /candles", { status: 503, detail, code: "unavailable" });
    const { user } = openChart();
    await screen.findByText(detail);
    api.reply("GET /candles", makeCandles());
    await user.click(screen.getByRole("button", { name: "Try again" }));
    await chart(/^BTC\/USDT/);
  });

  test("is loading until the candles are there", async () => {
    api.reply("GET /candles", makeCandles());
    const release = api.hold("GET /candles");
    openChart();
    await screen.findByRole("status", { name: "Loading the chart" });
    release();
    await chart(/^BTC\/USDT/);
  });
});

describe("the note of a chart", () => {
  const now = Date.now();
  const note = (overrides: Parameters<typeof makeCandles>[0], failedSince: number | null = null) =>
    noteOf(makeCandles(overrides), { failedSince, now }).text;
  const { candles } = makeCandles();

  test("says that the market is closed, and when it opens", () => {
    expect(note({ opens_at: "2026-11-22T22:00:00.000Z" })).toMatch(
      /^The market is closed. It opens at 2[23] Nov 2026, \d\d:00\.$/,
    );
  });

  test("says that prices come late", () => {
    expect(note({ delay_ms: 1_200_000 })).toBe(
      "Source: binance. Prices are delayed by up to 20 minutes.",
    );
  });

  test("says that there is no newer data", () => {
    expect(note({ candles: candles.slice(0, -6) })).toMatch(/^There is no newer data\./);
  });

  test("says since when the candles could not be read", () => {
    expect(note({}, now)).toMatch(/^Not updated since .+\. Trying again\.$/);
  });

  test("names demo data", () => {
    expect(note({ source: "replay" })).toBe("Source: demo data.");
  });
});

test("TradingView is loaded once it is chosen, and then on later visits", async () => {
  api.reply("GET /candles", makeCandles());
  const { user } = openChart();
  await chart(/^BTC\/USDT/);
  expect(document.querySelector("[data-widget]")).toBeNull();
  await user.click(screen.getByRole("tab", { name: "TradingView" }));
  await waitFor(() => expect(document.querySelector("[data-widget]")).not.toBeNull());
  cleanup();
  openChart();
  await screen.findByRole("tab", { name: "TradingView", selected: true });
});

test("a signal of the history shows its chart on request, with fill and exit", async () => {
  const { id, symbol, timeframe, ...item } = makeHistoryItem({ outcome: "WIN" });
  const before = makeCandles().candles.slice(0, 50);
  const since = makeCandles().candles.slice(50);
  api.reply("GET /signal-history", {
    signals: [{ id, symbol, timeframe, ...item }],
    next_cursor: null,
  });
  const market = { signal_id: id, symbol, timeframe };
  api.reply(`GET /signals/${id}/candles`, { ...market, candles: before });
  api.reply(`GET /signals/${id}/since`, {
    ...market,
    candles: since,
    judgement: null,
    shared_at: null,
  });
  const { user } = openPart(<HistoryPage />, {});
  await user.click(await screen.findByRole("button", { name: /^Details of/ }));
  await user.click(await screen.findByRole("button", { name: "Show chart", expanded: false }));
  await chart(/^BTC\/USDT, 60 candles of 1h/);
  await user.click(screen.getByRole("button", { name: "Hide chart", expanded: true }));
  await waitFor(() => expect(screen.queryByRole("img", { name: /candles/ })).toBeNull());
  expect(within(document.body).queryByText("Chart unavailable.")).toBeNull();
});
