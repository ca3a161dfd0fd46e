import { TIMEFRAMES } from "@shared/contract/constants.ts";
import type { WatchlistItem } from "@shared/contract/watchlist.ts";
import { act, screen, waitFor, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { nextReadMs } from "../../domain/watchlist.ts";
import { notifyListeners } from "../../lib/realtime/events.ts";
import { makeSignal, makeWatchlistItem } from "../../testing/factories.ts";
import { api } from "../../testing/fake-api.ts";
import { openPart } from "../../testing/open-app.tsx";
import { WatchlistPage } from "./watchlist-page.tsx";

const serve = (items: WatchlistItem[], limit = 20) =>
  api.reply("GET /watchlist", { items, limit, min_timeframe: "15m" });

async function openList(items: WatchlistItem[], limit?: number) {
  serve(items, limit);
  const { user } = openPart(<WatchlistPage />, {}, "/watchlist");
  await screen.findByRole("heading", { name: "Watch a market" });
  return user;
}

const card = (name: string) => screen.findByRole("article", { name });
const at = "2026-11-20T12:00:00.000Z";
const last = { at, final_signal: "BUY", confidence: 72, signal_id: null } as const;

test("an empty list explains itself and leads to the form", async () => {
  const user = await openList([]);
  screen.getByText("0 of 20 markets");
  await user.click(screen.getByRole("button", { name: "Choose a market" }));
  expect(document.activeElement).toBe(screen.getByRole("combobox", { name: "Symbol" }));
});

test("a list that cannot be loaded is loaded again on demand", async () => {
  api.fail("GET /watchlist", { status: 422, detail: "Out of order." });
  const { user } = openPart(<WatchlistPage />, {}, "/watchlist");
  await screen.findByText("Out of order.");
  serve([]);
  await user.click(screen.getByRole("button", { name: "Try again" }));
  await screen.findByText("0 of 20 markets");
});

const results: [Partial<WatchlistItem>, RegExp][] = [
  [{ last: { ...last, signal_id: "s1" } }, /^BUY72% stated confidence\d/],
  [{ last, min_confidence: 80 }, /^BUY72% stated confidenceBelow your minimum\d/],
  [
    { last: { ...last, final_signal: "WAIT" }, min_confidence: 80 },
    /^No trade72% stated confidence\d/,
  ],
  [{ last: { ...last, final_signal: null } }, /^Analysis failed\d/],
  [{}, /^No analysis yet$/],
];

test("the last result is a signal, a trade below the minimum, no trade, a failed analysis or none yet", async () => {
  const symbols = ["BTC/USDT", "ETH/USDT", "SOL/USDT", "WTI", "US30"];
  const items = results.map(([change], index) =>
    makeWatchlistItem({ id: `w${index}`, symbol: symbols[index] ?? "", ...change }),
  );
  await openList(items);
  for (const [index, [change, text]] of results.entries()) {
    const shown = within(await card(`${symbols[index]} 1h`));
    const result = shown.getByText((_text, element) => element?.localName === "p");
    expect(result.textContent).toMatch(text);
    const link = shown.queryByRole("link");
    expect(link?.getAttribute("href")).toBe(change.last?.signal_id ? "/signals/s1" : undefined);
  }
});

test("the time until the next close counts down, unless the item is off or the market has none", async () => {
  const next_at = new Date(Date.now() + 3_600_000).toISOString();
  await openList([
    makeWatchlistItem({ next_at }),
    makeWatchlistItem({ id: "2", symbol: "ETH/USDT", next_at, enabled: false }),
    makeWatchlistItem({ id: "3", symbol: "US30", next_at: null }),
  ]);
  const close = async (name: string) =>
    within(await card(name)).getByText("Next close").nextSibling?.textContent;
  expect(await close("BTC/USDT 1h")).toMatch(/^in (59 min \d\d s|1 h 00 min)$/);
  expect(await close("ETH/USDT 1h")).toBe("Off");
  expect(await close("US30 1h")).toBe("None");
  screen.getByText("This market is closed whenever a 1h candle closes, so it is not analyzed.");
});

test("a market is added with its own terms; what the server refuses stands beside its field", async () => {
  const user = await openList([]);
  const watch = () => user.click(screen.getByRole("button", { name: "Watch" }));
  const timeframes = within(screen.getByRole("radiogroup", { name: "Timeframe" }))
    .getAllByRole<HTMLInputElement>("radio")
    .map(({ value }) => value);
  expect(timeframes).toEqual(TIMEFRAMES.slice(TIMEFRAMES.indexOf("15m")));
  await watch();
  await screen.findByText("Enter a symbol of at least 2 characters.");
  const symbol = screen.getByRole<HTMLInputElement>("combobox", { name: "Symbol" });
  await user.type(symbol, "btc/usdt{Escape}");
  const confidence = screen.getByRole("textbox", { name: "Min. confidence (%)" });
  await user.clear(confidence);
  await user.type(confidence, "170");
  await watch();
  await screen.findByText("Enter a confidence from 0 to 100.");
  await user.clear(confidence);
  await user.type(confidence, "70");
  const message = "You already watch BTC/USDT 1h.";
  const errors = [{ field: "symbol", message }];
  api.fail("POST /watchlist", { status: 409, detail: message, code: "already-watched", errors });
  await watch();
  await screen.findByText(message);
  expect(symbol.getAttribute("aria-invalid")).toBe("true");
  await user.click(screen.getByRole("radio", { name: "15m" }));
  const tooShort = "Choose a timeframe of 4h or longer.";
  const short = { code: "invalid-input", errors: [{ field: "timeframe", message: tooShort }] };
  api.fail("POST /watchlist", { status: 422, detail: tooShort, ...short });
  await watch();
  await screen.findByText(tooShort);
  const item = makeWatchlistItem({ timeframe: "15m", min_confidence: 70 });
  api.reply("POST /watchlist", item);
  serve([item]);
  await watch();
  expect((await card("BTC/USDT 15m")).textContent).toContain("From 70%");
  screen.getByText("1 of 20 markets");
  expect(symbol.value).toBe("");
  expect(JSON.parse(api.bodiesOf("POST /watchlist").at(-1) ?? "")).toEqual({
    symbol: "BTC/USDT",
    timeframe: "15m",
    min_confidence: 70,
    amount: 100,
    risk_percent: 1,
    leverage: 1,
  });
});

test("a full list says so instead of taking another market", async () => {
  await openList([makeWatchlistItem()], 1);
  screen.getByText("Your watchlist is full. Remove a market to add another one.");
  expect(screen.getByRole("button", { name: "Watch" }).hasAttribute("disabled")).toBe(true);
});

test("the switch answers at once, and switches back if that fails", async () => {
  const user = await openList([makeWatchlistItem()]);
  api.fail("PATCH /watchlist/w1", { status: 503, detail: "Try again soon." });
  const release = api.hold("PATCH /watchlist/w1");
  const toggle = await screen.findByRole<HTMLInputElement>("switch", { name: "Watch BTC/USDT 1h" });
  await user.click(toggle);
  await waitFor(() => expect(toggle.checked).toBe(false));
  release();
  await screen.findByText("BTC/USDT 1h could not be switched off");
  expect(toggle.checked).toBe(true);
});

test("terms are edited in place", async () => {
  const user = await openList([makeWatchlistItem()]);
  const edit = await screen.findByRole("button", { name: "Edit BTC/USDT 1h" });
  await user.click(edit);
  const form = within(screen.getByRole("form", { name: "Edit BTC/USDT 1h" }));
  const leverage = form.getByRole("textbox", { name: "Leverage" });
  await user.clear(leverage);
  await user.type(leverage, "500");
  await user.click(form.getByRole("button", { name: "Save" }));
  await form.findByText("Enter a leverage from 1 to 125.");
  await user.clear(leverage);
  await user.type(leverage, "5");
  const changed = makeWatchlistItem({ leverage: 5 });
  api.reply("PATCH /watchlist/w1", changed);
  serve([changed]);
  await user.click(form.getByRole("button", { name: "Save" }));
  await waitFor(() => expect(screen.queryByRole("form", { name: /^Edit/ })).toBeNull());
  expect(document.activeElement).toBe(edit);
  expect((await card("BTC/USDT 1h")).textContent).toContain("5×");
  expect(JSON.parse(api.bodiesOf("PATCH /watchlist/w1")[0] ?? "")).toEqual({
    min_confidence: 0,
    amount: 100,
    risk_percent: 1,
    leverage: 5,
  });
});

test("a removed market can be watched again as it was", async () => {
  const user = await openList([makeWatchlistItem({ min_confidence: 65, enabled: false })]);
  api.replyText("DELETE /watchlist/w1", "");
  await user.click(await screen.findByRole("button", { name: "Remove BTC/USDT 1h" }));
  await screen.findByText("0 of 20 markets");
  const restored = makeWatchlistItem({ id: "w2", min_confidence: 65, enabled: false });
  api.reply("POST /watchlist", { ...restored, enabled: true });
  api.reply("PATCH /watchlist/w2", restored);
  await user.click(await screen.findByRole("button", { name: "Undo" }));
  await screen.findByText("1 of 20 markets");
  await waitFor(() => expect(api.bodiesOf("PATCH /watchlist/w2")).toEqual(['{"enabled":false}']));
  expect(api.bodiesOf("POST /watchlist")[0]).toContain('"min_confidence":65');
});

test("a market that cannot be removed is there again", async () => {
  const user = await openList([makeWatchlistItem()]);
  api.fail("DELETE /watchlist/w1", { status: 503, detail: "Try again soon." });
  await user.click(await screen.findByRole("button", { name: "Remove BTC/USDT 1h" }));
  await screen.findByText("BTC/USDT 1h could not be removed");
  screen.getByText("1 of 20 markets");
});

test("the result of a watched market shows as it arrives", async () => {
  await openList([makeWatchlistItem()]);
  await screen.findByText("No analysis yet");
  const signal = { ...makeSignal(), origin: "watchlist" } as const;
  serve([makeWatchlistItem({ last: { ...last, signal_id: signal.signal_id } })]);
  const event = { name: "signal:completed", stream: "user", seq: 1, at, data: signal } as const;
  act(() => notifyListeners(event));
  await screen.findByText("72% stated confidence");
});

test("the list is read again when a candle closes, and until the result is there", () => {
  const now = Date.parse("2026-11-20T12:00:30.000Z");
  const next_at = "2026-11-20T13:00:00.000Z";
  const item = (change: Partial<WatchlistItem>) => makeWatchlistItem({ next_at, ...change });
  const done = { ...last, at: "2026-11-20T12:00:10.000Z" };
  expect(nextReadMs([item({})], now)).toBe(10_000);
  expect(nextReadMs([item({})], now + 120_000)).toBe(57.5 * 60_000 + 1_000);
  expect(nextReadMs([item({ last: done })], now)).toBe(59.5 * 60_000 + 1_000);
  expect(nextReadMs([item({ last: done, next_at: at })], now)).toBe(1_000);
  expect(nextReadMs([item({ enabled: false }), item({ next_at: null })], now)).toBe(false);
  expect(nextReadMs([], now)).toBe(false);
});
