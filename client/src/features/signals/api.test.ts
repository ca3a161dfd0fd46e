import type { SignalResponse } from "@shared/contract/signal.ts";
import { expect, test } from "vitest";
import { pollDelayMs } from "./api.ts";

const signal = (status: SignalResponse["status"]): SignalResponse => ({
  signal_id: "s1",
  symbol: "BTC/USDT",
  timeframe: "1h",
  status,
  origin: "request",
  created_at: "2025-11-21T12:00:00.000Z",
  analysis: null,
});

test("without events, polling slows down to every ten seconds", () => {
  const delays = [0, 1, 2, 20].map((polls) =>
    pollDelayMs({ signal: signal("running"), online: false, polls }),
  );
  expect(delays).toEqual([1_000, 1_500, 2_250, 10_000]);
});

test("while events arrive, polling is rare", () => {
  expect(pollDelayMs({ signal: signal("queued"), online: true, polls: 9 })).toBe(15_000);
});

test("a finished signal is not polled", () => {
  expect(pollDelayMs({ signal: signal("failed"), online: false, polls: 0 })).toBe(false);
});
