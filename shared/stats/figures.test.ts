import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { figuresOf } from "./figures.ts";
import {
  emptyTally,
  FATES,
  joinTallies,
  type SignalEntry,
  type Tally,
  tallySignals,
} from "./tally.ts";

const HOUR_MS = 3_600_000;
const entry = (fields: Partial<SignalEntry>): SignalEntry => ({
  fate: "win",
  at: 0,
  confidence: 0.75,
  calibratedConfidence: null,
  noEdge: 0.4,
  rMultiple: 1.5,
  ...fields,
});
const times = (count: number, fields: Partial<SignalEntry>) =>
  Array.from({ length: count }, (_, index) => entry({ at: index * HOUR_MS, ...fields }));
const undecided = { noEdge: null, rMultiple: null };

const lossFields = { fate: "loss", rMultiple: -1 } as const;

describe("the figures of a record", () => {
  const record = [
    ...times(18, { rMultiple: 1.5 }),
    ...times(22, { ...lossFields, at: 30 * HOUR_MS, confidence: 0.62 }),
    ...times(4, { fate: "expired", noEdge: null, rMultiple: 0.25, at: 90 * HOUR_MS }),
    ...times(3, { fate: "not-filled", ...undecided }),
    ...times(50, { fate: "wait", ...undecided }),
    ...times(2, { fate: "failed", ...undecided }),
    ...times(6, { fate: "pending", ...undecided }),
  ];
  const figures = figuresOf(tallySignals(record));

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

  it("take the win rate over decided signals only, beside the chance without an edge", () => {
    expect(figures.win_rate?.value).toBeCloseTo(18 / 40, 12);
    expect(figures.no_edge_rate).toBeCloseTo(0.4, 12);
    expect(figures.lift?.value).toBeCloseTo(0.05, 12);
    const spread = (1.96 * Math.sqrt(40 * 0.4 * 0.6)) / 40;
    expect(figures.lift?.high).toBeCloseTo(0.05 + spread, 4);
  });

  it("take results in R over every trade that was closed, the expired ones too", () => {
    expect(figures.trades).toBe(44);
    expect(figures.expectancy_r?.value).toBeCloseTo((18 * 1.5 - 22 + 4 * 0.25) / 44, 12);
    expect(figures.profit_factor).toBeCloseTo(28 / 22, 12);
    expect(figures.max_drawdown_r).toBe(22);
    expect(figures.total_r).toBeCloseTo(6, 12);
    expect(figures.equity.at(-1)?.r).toBeCloseTo(6, 12);
  });

  it("say how far the stated confidence can be believed", () => {
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
    const few = figuresOf(tallySignals([...times(10, {}), ...times(19, lossFields)]));
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
    const enough = figuresOf(tallySignals([...times(10, {}), ...times(20, lossFields)]));
    expect(enough.win_rate?.value).toBeCloseTo(1 / 3, 12);
  });

  it("have no profit factor where nothing was lost", () => {
    expect(figuresOf(tallySignals(times(40, {}))).profit_factor).toBeNull();
  });

  it("of no signal at all are zeros and nulls", () => {
    expect(figuresOf(emptyTally())).toMatchObject({ trades: 0, equity: [], win_rate: null });
    expect(joinTallies([])).toEqual(emptyTally());
  });
});

describe("a record in parts", () => {
  const fate = fc.constantFrom(...FATES);
  const entries = fc.array(
    fc
      .record({
        fate,
        hours: fc.integer({ min: 0, max: 40 }),
        confidence: fc.integer({ min: 0, max: 100 }),
        calibrated: fc.option(fc.integer({ min: 0, max: 100 })),
        r: fc.integer({ min: -2, max: 3 }),
      })
      .map(({ fate: kind, hours, confidence, calibrated, r }) => {
        const decided = kind === "win" || kind === "loss";
        return entry({
          fate: kind,
          at: hours * HOUR_MS,
          confidence: confidence / 100,
          calibratedConfidence: calibrated === null ? null : calibrated / 100,
          noEdge: decided ? 0.25 : null,
          rMultiple: decided || kind === "expired" ? r : null,
        });
      }),
    { maxLength: 40 },
  );

  const rounded = (tally: Tally): unknown =>
    JSON.parse(JSON.stringify(tally), (_key, value: unknown) =>
      typeof value === "number" ? Math.round(value * 1e9) / 1e9 : value,
    );

  it("has the figures of the whole, wherever it is cut", () => {
    fc.assert(
      fc.property(entries, fc.integer({ min: 0, max: 40 }), (record, cutHour) => {
        const before = record.filter(({ at }) => at < cutHour * HOUR_MS);
        const after = record.filter(({ at }) => at >= cutHour * HOUR_MS);
        const joined = joinTallies([tallySignals(before), tallySignals(after)]);
        expect(rounded(joined)).toEqual(rounded(tallySignals(record)));
      }),
    );
  });
});
