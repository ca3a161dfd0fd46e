import type { SignalResponse } from "@shared/contract/signal.ts";
import { act, render, screen, waitFor, within } from "@testing-library/react";
import { beforeEach, expect, test } from "vitest";
import { parseLiveEvent } from "../../lib/realtime/events.ts";
import { makeHistoryItem, makeSignal } from "../../testing/factories.ts";
import { api } from "../../testing/fake-api.ts";
import { openApp, openPart } from "../../testing/open-app.tsx";
import { BotPage } from "../bot/bot-page.tsx";
import { track } from "../bot/bot-store.ts";
import { HistoryPage } from "../history/history-page.tsx";
import { applySignalEvent } from "./apply-event.ts";
import { Timeline, tradeOfSignal } from "./components/trade-timeline.tsx";
import { followTrade } from "./trade-progress.ts";

const at = "2026-11-20T12:00:00.000Z";

beforeEach(() => {
  api.reply("GET /status", { market_data: "replay", analyst: "rules", version: "1" });
});

function openBot(signal: SignalResponse, open = () => openPart(<BotPage />, {}, "/bot")) {
  const { signal_id: id, symbol, timeframe } = signal;
  api.reply(`GET /signals/${id}`, signal);
  const app = open();
  act(() => track({ id, symbol, timeframe, requestedAt: Date.now(), withImage: false }));
  return app;
}
const timeline = () => screen.findByRole("region", { name: "Trade progress" });
function receive(name: string, data: object): void {
  const event = parseLiveEvent(name, { stream: "user", seq: 11, at, data });
  if (!event) throw new Error(`not an event of the contract: ${name}`);
  act(() => applySignalEvent(event));
}

test("a card follows its trade from the fill to the outcome, and the tab says how it stands", async () => {
  const signal = { ...makeSignal(), created_at: at };
  const { signal_id } = signal;
  openBot(signal);
  const steps = await timeline();
  within(steps).getByText("Waiting for entry");
  within(steps).getByText("Live values are provisional until the candle closes.");
  receive("signal:filled", { signal_id, price: 100, filled_at: at });
  await within(steps).findByText("Filled");
  await waitFor(() => expect(document.title).toContain("Filled BTC/USDT · "));
  receive("signal:outcome", { signal_id, outcome: "WIN", resolved_at: at });
  await within(steps).findByText("Won");
  expect(within(steps).queryByText(/provisional/)).toBeNull();
  await waitFor(() => expect(document.title).not.toContain("Filled"));
});

test("the tab has its own title again on another page", async () => {
  const signal = { ...makeSignal(), filled: { price: 100, at } };
  const { user } = openBot(signal, () => openApp("/bot", {}));
  await waitFor(() => expect(document.title).toContain("Filled"));
  await user.click(screen.getByRole("link", { name: "Contact" }));
  await waitFor(() => expect(document.title).toMatch(/^Contact/));
});

test("live values are marked as such", () => {
  const trade = tradeOfSignal({ ...makeSignal(), filled: { price: 100, at } });
  if (!trade) throw new Error("a WAIT is no trade");
  const { steps } = followTrade(trade, { price: 96.5, at, isStale: false }, new Date());
  render(<Timeline steps={steps} madeAt={at} isOpen />);
  screen.getByText("Near take profit");
  screen.getByText("+1.75 R unrealized");
  screen.getByText("Live values are provisional until the candle closes.");
});

test("the history shows how far each trade has come; a WAIT has none", async () => {
  const noLevels = { entry: null, stop_loss: null, take_profit: null };
  const filled = { price: 113_000, at };
  api.reply("GET /signal-history", {
    signals: [
      makeHistoryItem({ id: "3", filled }),
      makeHistoryItem({ id: "2", filled, outcome: "LOSS" }),
      makeHistoryItem({ id: "1", signal: "WAIT", ...noLevels }),
    ],
    next_cursor: null,
  });
  const { user } = openPart(<HistoryPage />, {}, "/signal-history");
  const details = await screen.findAllByRole("button", { name: /^Details of/ });
  for (const button of details) await user.click(button);
  const [open, lost, ...others] = await screen.findAllByRole("region", { name: "Trade progress" });
  expect(open?.textContent).toContain("Filledat 113000");
  expect(lost?.textContent).toContain("Lost");
  expect(lost?.textContent).not.toContain(" R");
  expect(others).toEqual([]);
});
