import type { ProviderReport, SystemHealth, WorkerReport } from "@shared/contract/admin.ts";
import { describe, expect, it } from "vitest";
import { summarizeHealth } from "./health-section.tsx";

const at = "2026-01-01T00:00:00.000Z";
const provider = (name: string, state: ProviderReport["state"]): ProviderReport => ({
  provider: name,
  state,
  last_success_at: null,
  last_failure: null,
  paused_until: null,
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
  problems: [],
  queue: { waiting: 0, running: 3, oldest_waiting_seconds: 0 },
  workers: [worker(provider("binance", "ok"))],
  models: [],
  prices: { websocket: 8, polling: 11, fallback: 0 },
  server: { event_feed: "running", version: "1.0.0" },
  ...change,
});

describe("the health of the system", () => {
  it("is fine without problems", () => {
    expect(summarizeHealth(health({}))).toEqual({ status: "ok", problems: [] });
  });

  it("is down without a worker, whatever else is wrong", () => {
    const problems = ["no-worker", "feed-interrupted", "backlog"] as const;
    const summary = summarizeHealth(health({ workers: [], problems: [...problems] }));
    expect(summary.status).toBe("down");
    expect(summary.problems.map(({ title }) => title)).toEqual([
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
    expect(summarizeHealth(health({ workers, problems: ["provider-failing"] }))).toMatchObject({
      status: "degraded",
      problems: [{ title: "Failing: binance, kraken" }],
    });
  });

  it("says for how long the oldest signal waits", () => {
    const queue = { waiting: 1, running: 50, oldest_waiting_seconds: 21 };
    expect(summarizeHealth(health({ queue, problems: ["backlog"] }))).toMatchObject({
      status: "degraded",
      problems: [{ text: "Oldest signal waiting: 21 s. Add workers or increase concurrency." }],
    });
  });
});
