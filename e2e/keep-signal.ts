import type { SignalResponse } from "@shared/contract/signal.ts";
import type { Page } from "playwright/test";
import { apiUrl } from "./stage.ts";

/** Lets the bot that `page` opens next show this signal, as one that the tab requested at `requestedAt`. */
export async function keepSignal(
  page: Page,
  signal: SignalResponse,
  requestedAt = new Date(),
): Promise<void> {
  const { signal_id: id, symbol, timeframe } = signal;
  await page.route(`${apiUrl}/signals/${id}`, (route) =>
    route.fulfill({ json: signal, headers: { "Access-Control-Allow-Origin": "*" } }),
  );
  const tracked = [{ id, symbol, timeframe, requestedAt: requestedAt.getTime(), withImage: false }];
  const inputs = { symbol, timeframe, amount: 100, riskPercent: 1, leverage: 1 };
  const kept = { state: { inputs, attempt: null, tracked, selectedId: null }, version: 0 };
  await page.addInitScript((bot) => sessionStorage.setItem("bot", bot), JSON.stringify(kept));
}
