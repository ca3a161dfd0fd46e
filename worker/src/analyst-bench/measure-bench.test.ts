import { DAY_MS } from "@shared/contract/constants.ts";
import { type JudgedAnalysis, sumBenchDay } from "@shared/stats/analyst-bench.ts";
import { expect, it } from "vitest";
import { composeReport } from "./measure-bench.ts";

const START = Date.UTC(2026, 0, 1);
const dayOf = (index: number) => new Date(START + index * DAY_MS).toISOString().slice(0, 10);

/** One win of 2 R and two losses a day. */
const tradesOf = (day: number): JudgedAnalysis[] =>
  [2, -1, day % 2 ? 2 : -1].map((r, index) => ({
    armKey: "one",
    market: "BTC/USDT 1h",
    closedAt: START + day * DAY_MS + index * 3_600_000,
    status: "completed",
    isTrade: true,
    isPending: false,
    closed: {
      ...{ r, stated: 0.6, baseline: 1 / 3, score: r > 0 ? 1 : 0 },
      ...{ won: r > 0, heldHours: 1 },
    },
    latencyMs: 1,
    costUsd: 0,
  }));

it("the chart of an arm ends with the interval that the table has for the mean of its trades", () => {
  const days = Array.from({ length: 12 }, (_, day) =>
    sumBenchDay(dayOf(day), { analyses: tradesOf(day), oldestOpen: new Map() }),
  );
  const since = new Date(START);
  const arm = {
    ...{ id: "one", key: "one", label: "One", analyst: "rules" as const, version: "1" },
    ...{ model: "rules", isBaseline: false, since, mayBeAnalyst: false },
  };
  const { bench, details } = composeReport(
    { isDemo: false, arms: [arm], markets: [], budgetUsd: null, reportedAt: since },
    { days, records: new Map(), updatedAt: since },
  );
  const mean = bench.arms[0]?.expectancy_r;
  const last = details.arms[0]?.curve.at(-1);
  const trades = 3 * days.length;
  expect(last?.low).toBeCloseTo(trades * (mean?.low ?? Number.NaN), 9);
  expect(last?.high).toBeCloseTo(trades * (mean?.high ?? Number.NaN), 9);
  expect(last?.r).toBeCloseTo(trades * (mean?.value ?? Number.NaN), 9);
});
