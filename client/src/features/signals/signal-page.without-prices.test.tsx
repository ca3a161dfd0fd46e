import type { Resolution } from "@shared/contract/resolution.ts";
import { screen, within } from "@testing-library/react";
import { beforeEach, expect, test } from "vitest";
import { makeSignal } from "../../testing/factories.ts";
import { api } from "../../testing/fake-api.ts";
import { openApp } from "../../testing/open-app.tsx";

const at = "2026-11-20T12:00:00.000Z";
const ENDED: Resolution = {
  outcome: "EXPIRED",
  reason: "no-data",
  resolved_at: at,
  known_until: "2026-11-18T12:00:00.000Z",
  filled_at: null,
  fill: null,
  exited_at: null,
  exit: null,
  r_multiple: null,
  max_favourable_r: null,
  max_adverse_r: null,
  costs: { spread_percent: 0.01, commission_percent: 0.05 },
};

beforeEach(() => {
  api.reply("GET /status", { market_data: "live", analyst: "rules", version: "1" });
});

function open(judgement: Resolution) {
  const signal = makeSignal();
  const { signal_id: id, symbol, timeframe } = signal;
  const market = { signal_id: id, symbol, timeframe };
  api.reply(`GET /signals/${id}`, { ...signal, outcome: judgement.outcome });
  api.reply(`GET /signals/${id}/candles`, { ...market, candles: [] });
  api.reply(`GET /signals/${id}/since`, { ...market, judgement, candles: [], shared_at: null });
  openApp(`/signals/${id}`, {});
  return screen.findByRole("region", { name: "Outcome" });
}

test("a signal whose market ended claims no fill, and not that there was none", async () => {
  const outcome = await open(ENDED);
  within(outcome).getByText(/no prices for 24 hours after the hold limit.*filled is unknown/);
  within(outcome).getByText("Unknown");
  const progress = screen.getByRole("region", { name: "Trade progress" });
  within(progress).getByText("Unknown");
  expect(screen.queryByText("Not filled")).toBeNull();
  expect(within(outcome).queryByText(/Decided by the prices of/)).toBeNull();
});

test("a signal that another provider decided names it", async () => {
  const change = { provider: "kraken", provider_changed: true, provider_changed_at: at } as const;
  const { known_until: _, ...rest } = ENDED;
  const outcome = await open({ ...rest, reason: "not-filled", ...change });
  within(outcome).getByText(/^Decided by the prices of kraken from .*2026/);
  within(outcome).getByText("Not filled");
});
