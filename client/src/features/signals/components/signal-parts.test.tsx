import { act, screen, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { receivePrice } from "../../../lib/realtime/live-prices.ts";
import { makeHistoryItem, makeSignal } from "../../../testing/factories.ts";
import { api } from "../../../testing/fake-api.ts";
import { openPart } from "../../../testing/open-app.tsx";
import { BotPage } from "../../bot/bot-page.tsx";
import { track } from "../../bot/bot-store.ts";
import { HistoryPage } from "../../history/history-page.tsx";

const receive = (price: number) =>
  act(() => receivePrice({ symbol: "BTC/USDT", price, at: new Date().toISOString() }));

const demo = { market_data: "replay", analyst: "rules", version: "1" };

test.each(["1m", "1h", "1d"] as const)(
  "a demo signal at %s shows the price now, and how far it is from the entry",
  async (timeframe) => {
    const signal = { ...makeSignal(), timeframe };
    const { signal_id: id, symbol } = signal;
    api.reply("GET /status", demo);
    api.reply(`GET /signals/${id}`, signal);
    openPart(<BotPage />, {}, "/bot");
    act(() => track({ id, symbol, timeframe, requestedAt: Date.now(), withImage: false }));
    await screen.findByRole("region", { name: "Trade progress" });
    receive(101.5);
    const name = await screen.findByText("Price now, demo data");
    expect(name.parentElement?.textContent).toContain("101.50000+1.50%");
  },
);

test("a row of the history shows it too while its trade is open, in the demo at all timeframes", async () => {
  api.reply("GET /status", demo);
  const item = makeHistoryItem({ timeframe: "5m", entry: 100 });
  api.reply("GET /signal-history", { signals: [item], next_cursor: null });
  const { user } = openPart(<HistoryPage />, {}, "/signal-history");
  await user.click(await screen.findByRole("button", { name: /^Details of/ }));
  receive(99);
  const card = screen.getByRole("article");
  const name = await within(card).findByText("Price now, demo data");
  expect(name.parentElement?.textContent).toContain("99.00000");
});
