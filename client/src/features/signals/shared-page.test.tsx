import { screen, waitFor, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { queryClient } from "../../lib/query-client.ts";
import { makeSignal } from "../../testing/factories.ts";
import { api } from "../../testing/fake-api.ts";
import { openApp } from "../../testing/open-app.tsx";

const market = {
  symbol: "BTC/USDT",
  timeframe: "1h",
  created_at: "2026-11-20T12:00:00.000Z",
} as const;

test.each([
  { from: "outcome", text: "are shown here once the trade has ended" },
  { from: "2026-11-20T12:30:00.000Z", text: /are shown here from .*20 Nov/ },
])("of an open trade, visitors see the market and when the rest is shown: $from", async (row) => {
  api.reply("GET /shared/t1", { ...market, shared_from: row.from });
  openApp("/shared/t1");
  const title = await screen.findByRole("heading", { level: 1 });
  expect(title.textContent).toBe("BTC/USDT 1h");
  screen.getByText(row.text, { exact: false });
  expect(document.querySelector("[data-signal]")).toBeNull();
});

test("beside an open trade, visitors see what became of the newest one that has ended", async () => {
  api.reply("GET /shared/t1", { ...market, shared_from: "outcome" });
  const levels = { entry: 1.1, stop_loss: 1.12, take_profit: 1.06 };
  const ended = { ...levels, outcome: "LOSS", r_multiple: -1.02, reason: "stop" } as const;
  const trade = { seq: 1, symbol: "EUR/USD", timeframe: "4h", signal: "SELL", ...ended } as const;
  api.reply("GET /activity", {
    data: "live",
    items: [{ ...trade, resolved_at: "2026-11-20T10:00:00.000Z" }],
  });
  openApp("/shared/t1");
  await screen.findByText("Latest result of our record");
  screen.getByText("\u22121.02 R");
  screen.getByText("1.12000");
  screen.getByText("This trade is open.");
  screen.getByRole("link", { name: "Create an account" });
});

test("a visitor of a shared page can create an account, also if the link has ended", async () => {
  const { analysis } = makeSignal();
  const shared = { ...market, analysis, before: [], since: [], judgement: null };
  api.reply("GET /shared/t1", shared);
  const { user, address, goTo } = openApp("/shared/t1");
  await screen.findByText("Get signals like this one");
  await user.click(screen.getByRole("link", { name: "Create an account" }));
  await waitFor(() => expect(address()).toBe("/register"));
  await goTo("/shared/gone");
  await screen.findByText("This link no longer works.");
  const main = within(screen.getByRole("main"));
  expect(main.getByRole("link", { name: "Create an account" }).getAttribute("href")).toBe(
    "/register",
  );
});

test("one invitation stands on the page of an open trade, also if it cannot be read again", async () => {
  api.reply("GET /shared/t1", { ...market, shared_from: "outcome" });
  openApp("/shared/t1");
  await screen.findByText("Get signals like this one");
  const error = { status: 500, code: "internal", detail: "Something went wrong." } as const;
  api.fail("GET /shared/t1", error);
  await queryClient.refetchQueries({ queryKey: ["shared-signal"] });
  await waitFor(() =>
    expect(queryClient.getQueryState(["shared-signal", "t1"])?.status).toBe("error"),
  );
  screen.getByText("Get signals like this one");
});

test("who is signed in is not asked to create an account", async () => {
  api.reply("GET /shared/t1", { ...market, shared_from: "outcome" });
  openApp("/shared/t1", {});
  await screen.findByText("This trade is open.");
  expect(screen.queryByText("Get signals like this one")).toBeNull();
});

test("the owner of an open trade reads when visitors see it", async () => {
  const signal = makeSignal();
  const { signal_id: id, symbol, timeframe } = signal;
  const known = { signal_id: id, symbol, timeframe, candles: [] };
  api.reply(`GET /signals/${id}`, signal);
  api.reply(`GET /signals/${id}/candles`, known);
  api.reply(`GET /signals/${id}/since`, {
    ...known,
    judgement: null,
    shared_at: null,
    shared_from: "outcome",
  });
  openApp(`/signals/${id}`, {});
  await screen.findByText(/visitors see its market only: .* once the trade has ended/);
});
