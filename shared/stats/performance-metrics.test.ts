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

/** Without costs, 1.5 R are what a target of that distance pays. */
const won = { baseline: 0.4, score: 1, rMultiple: 1.5, rangeR: 2.5 };

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
    trade: trade && { ...won, openedAt: at - HOUR_MS, ...trade },
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
    const none = { brier: null, baseline_brier: null, brier_skill: null, ece: null };
    expect(figures.calibrated).toEqual({ decided: 0, ...none, buckets: [] });
  });

  it("compare the win rate with the baseline of the same trades", () => {
    const open = times(20, { category: "expired", at: 90 * DAY_MS }, { ...expired, baseline: 0.9 });
    const { no_edge_rate: baseline, lift } = computeMetrics(tallySignals([...record, ...open]));
    expect(baseline).toBeCloseTo(0.4, 12);
    expect(lift?.value).toBeCloseTo((20 + 20 * 0.5 - 44 * 0.4 - 20 * 0.9) / 64, 12);
  });

  it("score the stated chances against those that follow from the levels", () => {
    const { baseline_brier: baseline, brier_skill: skill, confidence } = figures;
    expect(baseline).toBeCloseTo((22 * 0.4 ** 2 + 18 * 0.6 ** 2) / 40, 12);
    expect(skill?.value).toBeCloseTo(1 - (confidence.brier ?? 0) / (baseline ?? 0), 12);
    expect(skill?.low).toBeLessThan(skill?.value ?? 0);
    expect(confidence).toMatchObject({ baseline_brier: baseline, brier_skill: skill });
    const stating = (confidence: number) =>
      computeMetrics(
        tallySignals([
          ...times(20, { confidence }),
          ...times(30, { category: "loss", confidence, at: 20 * DAY_MS }, loss),
        ]),
      ).brier_skill;
    expect(stating(0.4)?.value).toBeCloseTo(0, 12);
    expect(stating(0.7)?.value).toBeLessThan(-0.3);
  });

  it("name the edge that pays the costs, and claim one only above it", () => {
    const costing = (costs: number) =>
      computeMetrics(
        tallySignals(
          Array.from({ length: 200 }, (_, index) => {
            const isWin = index % 2 === 0;
            const trade = { ...won, ...(isWin ? {} : loss) };
            const rMultiple = trade.rMultiple - costs;
            const category = isWin ? "win" : "loss";
            return entry({ category, at: index * DAY_MS }, { ...trade, rMultiple });
          }),
        ),
      );
    // Half of the trades win, where four of ten would by chance.
    const { break_even_edge: breakEven, lift, expectancy_r: result } = costing(0.25);
    expect(breakEven).toBeCloseTo(0.1, 12);
    expect(lift?.value).toBeCloseTo(0.1, 12);
    expect(result?.value).toBeCloseTo(0, 12);
    expect(costing(0).break_even_edge).toBeCloseTo(0, 12);
  });

  it("say how many more trades it takes to know, by bounds that are wider than those for one look", () => {
    const { lift, edge_bounds: bounds, more_trades_to_know: more } = figures;
    expect(bounds?.low).toBeLessThan(lift?.low ?? 0);
    expect(bounds?.high).toBeGreaterThan(lift?.high ?? 0);
    expect(more).toBeGreaterThan(100);
    const sure = [...times(400), ...times(200, { category: "loss", at: 400 * DAY_MS }, loss)];
    expect(computeMetrics(tallySignals(sure))).toMatchObject({ more_trades_to_know: 0 });
  });

  it("bound the edge by shares of wins from 0 to 1, however few separate days there are", () => {
    const day = (index: number) => {
      const at = index * 5 * DAY_MS;
      const isWon = index % 2 === 0;
      return Array.from({ length: 4 }, () =>
        isWon ? entry({ at }) : entry({ category: "loss", at }, loss),
      );
    };
    const few = Array.from({ length: 10 }, (_, index) => day(index)).flat();
    const { edge_bounds: bounds } = computeMetrics(tallySignals(few));
    expect(bounds).toEqual({ low: expect.closeTo(-0.4, 12), high: expect.closeTo(0.6, 12) });
  });

  it("count the trades that WAITs rejected, which are in no other figure", () => {
    const rejected = (rMultiple: number, at: number) =>
      entry(
        {
          category: "wait",
          at,
          rejected: {
            ...won,
            score: Number(rMultiple > 0),
            rMultiple,
            openedAt: at,
            closedAt: at + HOUR_MS,
          },
        },
        null,
      );
    const waits = Array.from({ length: 40 }, (_, index) =>
      rejected(index % 2 === 0 ? 1.5 : -1, index * DAY_MS),
    );
    const unfilled = times(2, { category: "wait", rejected: null }, null);
    const { counts, ...all } = computeMetrics(tallySignals([...record, ...waits, ...unfilled]));
    expect(all.waits).toMatchObject({ judged: 40, not_filled: 2, total_r: 10 });
    expect(all.waits.expectancy_r?.value).toBeCloseTo(0.25, 12);
    expect(all.waits.lift?.value).toBeCloseTo(0.1, 12);
    expect(counts.waits).toBe(92);
    const { waits: _, counts: __, ...others } = figures;
    expect(all).toMatchObject(others);
    expect(figures.waits).toMatchObject({ judged: 0, expectancy_r: null, lift: null });
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
