import type { WatchlistItem } from "@shared/contract/watchlist.ts";
import { act, screen, waitFor } from "@testing-library/react";
import { expect, test } from "vitest";
import { makeSignal, makeWatchlistItem } from "../../../testing/factories.ts";
import { api } from "../../../testing/fake-api.ts";
import { openApp, openPart } from "../../../testing/open-app.tsx";
import { BotPage } from "../bot-page.tsx";
import { track } from "../bot-store.ts";

const serve = (items: WatchlistItem[]) =>
  api.reply("GET /watchlist", { items, limit: 20, min_timeframe: "15m" });

const openPage = () => openPart(<BotPage />, {}, "/bot");

async function openBot(items: WatchlistItem[], open = openPage) {
  serve(items);
  const app = open();
  const star = await screen.findByRole<HTMLButtonElement>("button", { name: "Watch BTC/USDT 1h" });
  await waitFor(() => expect(star.disabled).toBe(false));
  return { ...app, star };
}

const isWatched = (star: HTMLElement) => star.getAttribute("aria-pressed") === "true";

test("one click watches the market with the sizing of the form, and leads to the watchlist", async () => {
  const { user, star, address } = await openBot([], () => openApp("/bot", {}));
  expect(isWatched(star)).toBe(false);
  const leverage = screen.getByRole("textbox", { name: "Leverage" });
  await user.clear(leverage);
  await user.type(leverage, "3");
  const item = makeWatchlistItem({ leverage: 3 });
  api.reply("POST /watchlist", item);
  serve([item]);
  await user.click(star);
  await waitFor(() => expect(isWatched(star)).toBe(true));
  expect(JSON.parse(api.bodiesOf("POST /watchlist")[0] ?? "")).toEqual({
    symbol: "BTC/USDT",
    timeframe: "1h",
    min_confidence: 0,
    amount: 100,
    risk_percent: 1,
    leverage: 3,
  });
  await user.click(await screen.findByRole("button", { name: "Watchlist" }));
  await screen.findByRole("article", { name: "BTC/USDT 1h" });
  expect(address()).toBe("/watchlist");
});

test("another click removes it, and can be undone", async () => {
  const { user, star } = await openBot([makeWatchlistItem()]);
  await waitFor(() => expect(isWatched(star)).toBe(true));
  api.replyText("DELETE /watchlist/w1", "");
  await user.click(star);
  await waitFor(() => expect(isWatched(star)).toBe(false));
  api.reply("POST /watchlist", makeWatchlistItem({ id: "w2" }));
  await user.click(await screen.findByRole("button", { name: "Undo" }));
  await waitFor(() => expect(isWatched(star)).toBe(true));
});

test("of another timeframe, the market is not watched; a refusal says why", async () => {
  const { user, star } = await openBot([makeWatchlistItem()]);
  await user.click(screen.getByRole("radio", { name: "5m" }));
  expect(isWatched(star)).toBe(false);
  const detail = "Choose a timeframe of 15m or longer.";
  api.fail("POST /watchlist", { status: 422, code: "invalid-input", detail });
  await user.click(star);
  await screen.findByText("BTC/USDT 5m is not watched");
  screen.getByText(detail);
  await waitFor(() => expect(isWatched(star)).toBe(false));
});

function showWait() {
  const wait = { final_signal: "WAIT", entry: null, stop_loss: null, take_profit: null } as const;
  const signal = makeSignal(wait);
  const { signal_id: id, symbol, timeframe } = signal;
  api.reply(`GET /signals/${id}`, signal);
  act(() => track({ id, symbol, timeframe, requestedAt: Date.now(), withImage: false }));
}

test("after a WAIT, one tap watches its market for the next trade", async () => {
  const { user, star } = await openBot([]);
  showWait();
  const notify = await screen.findByRole("button", { name: "Notify me of the next trade" });
  const item = makeWatchlistItem();
  api.reply("POST /watchlist", item);
  serve([item]);
  await user.click(notify);
  await screen.findByText("You get the next trade");
  await waitFor(() => expect(isWatched(star)).toBe(true));
  expect(JSON.parse(api.bodiesOf("POST /watchlist")[0] ?? "")).toMatchObject({
    symbol: "BTC/USDT",
    timeframe: "1h",
  });
});

test("a market that is watched is not offered again", async () => {
  await openBot([makeWatchlistItem()]);
  showWait();
  await screen.findByText("You get the next trade");
  expect(screen.queryByRole("button", { name: "Notify me of the next trade" })).toBeNull();
});
