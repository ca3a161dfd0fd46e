import type { ProviderReport, SystemHealth, WorkerReport } from "@shared/contract/admin.ts";
import { describe, expect, it } from "vitest";
import { summarizeHealth } from "./health-section.tsx";

const at = "2026-01-01T00:00:00.000Z";
const provider = (name: string, state: ProviderReport["state"]): ProviderReport => ({
  provider: name,
  state,
  last_success_at: null,
  last_failure: null,
});
const worker = (...providers: ProviderReport[]): WorkerReport => ({
  id: "host:1:a",
  started_at: at,
  seen_at: at,
  concurrency: 50,
  market_data: "live",
  analyst: "openai",
  providers,
});
const health = (change: Partial<SystemHealth>): SystemHealth => ({
  checked_at: at,
  queue: { waiting: 0, running: 3, oldest_waiting_seconds: 0 },
  workers: [worker(provider("binance", "ok"))],
  server: { event_feed: "running", version: "1.0.0" },
  ...change,
});

describe("the health of the system", () => {
  it("is fine while workers run, events arrive and nothing waits for long", () => {
    const queue = { waiting: 40, running: 50, oldest_waiting_seconds: 12 };
    expect(summarizeHealth(health({ queue }))).toEqual({ status: "ok", problems: [] });
  });

  it("is down without a worker, whatever else is wrong", () => {
    const { status, problems } = summarizeHealth(
      health({
        workers: [],
        server: { event_feed: "interrupted", version: "1.0.0" },
        queue: { waiting: 2, running: 0, oldest_waiting_seconds: 90 },
      }),
    );
    expect(status).toBe("down");
    expect(problems.map(({ title }) => title)).toEqual([
      "No active workers",
      "The event feed is interrupted",
      "Signals are waiting",
    ]);
  });

  it("names each failing provider once", () => {
    const workers = [
      worker(provider("binance", "resting"), provider("okx", "ok")),
      worker(provider("binance", "failing"), provider("kraken", "failing")),
    ];
    expect(summarizeHealth(health({ workers }))).toMatchObject({
      status: "degraded",
      problems: [{ title: "Failing: binance, kraken" }],
    });
  });

  it("is degraded while a signal waits for more than twenty seconds", () => {
    const queue = { waiting: 1, running: 50, oldest_waiting_seconds: 21 };
    expect(summarizeHealth(health({ queue }))).toMatchObject({
      status: "degraded",
      problems: [{ text: "Oldest signal waiting: 21 s. Add workers or increase concurrency." }],
    });
  });
});
