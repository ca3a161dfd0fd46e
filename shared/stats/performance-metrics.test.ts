import { DAY_MS, HOUR_MS } from "@shared/contract/constants.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { computeMetrics } from "./performance-metrics.ts";
import {
  type ClosedTrade,
  emptyTally,
  mergeTallies,
  OUTCOME_CATEGORIES,
  type PerformanceSample,
  type Tally,
  tallySignals,
} from "./tally.ts";

/** A signal whose trade was open for an hour, by default a win. */
const entry = (
  fields: Partial<Omit<PerformanceSample, "trade">> = {},
  trade: Partial<ClosedTrade> | null = {},
): PerformanceSample => {
  const { at = 0 } = fields;
  return {
    category: "win",
    at,
    confidence: 0.75,
    calibratedConfidence: null,
    trade: trade && { openedAt: at - HOUR_MS, baseline: 0.4, score: 1, rMultiple: 1.5, ...trade },
    ...fields,
  };
};
/** The same on so many days in a row, once a day. */
const times = (count: number, ...[fields, trade]: Parameters<typeof entry>) =>
  Array.from({ length: count }, (_, index) =>
    entry({ ...fields, at: (fields?.at ?? 0) + index * DAY_MS }, trade),
  );

const loss = { score: 0, rMultiple: -1 };
const expired = { score: 0.5, rMultiple: 0.25 };

describe("the metrics of a record", () => {
  const record = [
    ...times(18),
    ...times(22, { category: "loss", at: 30 * DAY_MS, confidence: 0.62 }, loss),
    ...times(4, { category: "expired", at: 90 * DAY_MS }, expired),
    ...times(3, { category: "not-filled" }, null),
    ...times(50, { category: "wait" }, null),
    ...times(2, { category: "failed" }, null),
    ...times(6, { category: "pending" }, null),
  ];
  const figures = computeMetrics(tallySignals(record));

  it("count every signal in the open", () => {
    expect(figures.counts).toEqual({
      decided: 40,
      wins: 18,
      losses: 22,
      expired: 4,
      not_filled: 3,
      waits: 50,
      failed: 2,
      pending: 6,
    });
  });

  it("take the win rate over decided signals only", () => {
    expect(figures.win_rate?.value).toBeCloseTo(18 / 40, 12);
    expect(figures.win_rate?.low).toBeGreaterThan(0.25);
    expect(figures.win_rate?.high).toBeLessThan(0.65);
  });

  it("take the edge over expired signals too, by where they were closed", () => {
    expect(figures.no_edge_rate).toBeCloseTo(0.4, 12);
    expect(figures.lift?.value).toBeCloseTo((18 + 4 * 0.5) / 44 - 0.4, 12);
    expect(figures.effective_trades).toBeLessThanOrEqual(44);
    expect(figures.effective_trades).toBeGreaterThan(30);
  });

  it("take results in R over every trade that was closed, the expired ones too", () => {
    expect(figures.trades).toBe(44);
    expect(figures.expectancy_r?.value).toBeCloseTo((18 * 1.5 - 22 + 4 * 0.25) / 44, 12);
    expect(figures.profit_factor).toBeCloseTo(28 / 22, 12);
    expect(figures.max_drawdown_r).toBe(22);
    expect(figures.total_r).toBeCloseTo(6, 12);
    expect(figures.equity.at(-1)?.r).toBeCloseTo(6, 12);
  });

  it("measure the calibration of the stated confidence", () => {
    const { brier, ece, buckets } = figures.confidence;
    expect(buckets.map(({ from, to, decided, wins }) => [from, to, decided, wins])).toEqual([
      [60, 70, 22, 0],
      [70, 80, 18, 18],
    ]);
    expect(brier).toBeCloseTo((22 * 0.62 ** 2 + 18 * 0.25 ** 2) / 40, 12);
    expect(ece).toBeCloseTo((22 * 0.62 + 18 * 0.25) / 40, 12);
    expect(figures.calibrated).toEqual({ decided: 0, brier: null, ece: null, buckets: [] });
  });

  it("are withheld below 30 decided signals; counts and curve are not", () => {
    const losses = (count: number) => times(count, { category: "loss" }, loss);
    const few = computeMetrics(tallySignals([...times(10), ...losses(19)]));
    expect(few).toMatchObject({
      counts: { decided: 29 },
      win_rate: null,
      no_edge_rate: null,
      lift: null,
      expectancy_r: null,
      profit_factor: null,
      max_drawdown_r: null,
      confidence: { decided: 29, brier: null, ece: null },
    });
    expect(few.equity).not.toEqual([]);
    const enough = computeMetrics(tallySignals([...times(10), ...losses(20)]));
    expect(enough.win_rate?.value).toBeCloseTo(1 / 3, 12);
  });

  it("have no interval where all trades lie within a few days", () => {
    const days = (count: number) =>
      computeMetrics(
        tallySignals(
          Array.from({ length: 60 }, (_, index) => entry({ at: (index % count) * DAY_MS })),
        ),
      );
    const overlapping = { win_rate: null, lift: null, expectancy_r: null, effective_trades: 3 };
    expect(days(3)).toMatchObject({ ...overlapping, trades: 60 });
    expect(days(4).win_rate).not.toBeNull();
  });

  it("are less certain for overlapping trades", () => {
    const together = (copies: number) =>
      computeMetrics(
        tallySignals(
          Array.from({ length: 40 * copies }, (_, index) => {
            const day = Math.floor(index / copies);
            const isWin = (day * 7) % 5 < 2;
            return entry({ at: day * DAY_MS, category: isWin ? "win" : "loss" }, isWin ? {} : loss);
          }),
        ),
      );
    expect(together(5).trades).toBe(200);
    expect(together(5).lift?.low).toBeCloseTo(together(1).lift?.low ?? Number.NaN, 9);
    expect(together(5).expectancy_r?.high).toBeCloseTo(
      together(1).expectancy_r?.high ?? Number.NaN,
      9,
    );
    expect(Math.abs(together(5).effective_trades - 40)).toBeLessThanOrEqual(1);
  });

  it("of a range of confidence leave out one in which nothing was decided", () => {
    const undecided = times(3, { category: "expired", confidence: 0.95 }, expired);
    const { buckets } = computeMetrics(tallySignals([...times(40), ...undecided])).confidence;
    expect(buckets.map(({ from }) => from)).toEqual([70]);
  });

  it("have no profit factor where nothing was lost", () => {
    expect(computeMetrics(tallySignals(times(40))).profit_factor).toBeNull();
  });

  it("of no signal at all are zeros and nulls", () => {
    expect(computeMetrics(emptyTally())).toMatchObject({
      trades: 0,
      effective_trades: 0,
      equity: [],
      win_rate: null,
    });
    expect(mergeTallies([])).toEqual(emptyTally());
  });
});

describe("a record in parts", () => {
  const category = fc.constantFrom(...OUTCOME_CATEGORIES);
  const entries = fc.array(
    fc
      .record({
        category,
        hours: fc.integer({ min: 0, max: 40 }),
        confidence: fc.integer({ min: 0, max: 100 }),
        calibrated: fc.option(fc.integer({ min: 0, max: 100 })),
        r: fc.integer({ min: -2, max: 3 }),
      })
      .map(({ category: kind, hours, confidence, calibrated, r }) => {
        const isClosed = kind === "win" || kind === "loss" || kind === "expired";
        const score = { win: 1, loss: 0, expired: 0.75 };
        return entry(
          {
            category: kind,
            at: hours * HOUR_MS,
            confidence: confidence / 100,
            calibratedConfidence: calibrated === null ? null : calibrated / 100,
          },
          isClosed ? { baseline: 0.25, score: score[kind], rMultiple: r } : null,
        );
      }),
    { maxLength: 40 },
  );

  const rounded = (tally: Tally): unknown =>
    JSON.parse(JSON.stringify(tally), (_key, value: unknown) =>
      typeof value === "number" ? Math.round(value * 1e9) / 1e9 : value,
    );

  it("has the metrics of the whole", () => {
    fc.assert(
      fc.property(entries, fc.integer({ min: 0, max: 40 }), (record, cutHour) => {
        const before = record.filter(({ at }) => at < cutHour * HOUR_MS);
        const after = record.filter(({ at }) => at >= cutHour * HOUR_MS);
        const joined = mergeTallies([tallySignals(before), tallySignals(after)]);
        expect(rounded(joined)).toEqual(rounded(tallySignals(record)));
      }),
    );
  });
});
